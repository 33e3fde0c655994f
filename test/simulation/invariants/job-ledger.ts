import type { ChangeBatch } from "../../../control-plane/storage/interface.ts";
import { JOBS, PODS } from "../../../shared/api/refs.ts";
import { decodeStored } from "../../../shared/api/stored-object.ts";
import type { Job, Pod } from "../../../shared/api/types.ts";
import { ownerOf } from "./availability.ts";

const FINALIZER = "batch.kubernetes.io/job-tracking";
const INDEX = "batch.kubernetes.io/job-completion-index";

interface Account {
  /** Pods that were let go after they had succeeded, or, by index, the indexes. */
  succeeded: Set<string>;
  /** Pods that were let go after they had failed by themselves, and those that were deleted before they ended. */
  failed: Set<string>;
  deleted: Set<string>;
  /** Of those that succeeded: the Job, which was failing, took them down before it saw that they had. */
  overtaken: Set<string>;
  /** All that ever ended, counted or not. */
  ended: { succeeded: Set<string>; failed: Set<string> };
}

/** The simulator's own count of what became of each Job's pods, from the pods alone. */
export class JobLedger {
  readonly #say: (violation: string) => void;
  readonly #accounts = new Map<string, Account>();
  /** By uid, pods that are still to be counted, as they were last. */
  readonly #held = new Map<string, Pod>();
  /** By uid, those that their Jobs deleted. */
  readonly #takenDown = new Set<string>();

  constructor(say: (violation: string) => void) {
    this.#say = say;
  }

  /** A pod is about to be deleted. @param by who does it */
  onDelete({ metadata }: Pod, by: string | undefined): void {
    if (by === "job-controller") this.#takenDown.add(metadata.uid ?? "");
  }

  onBatch({ resource, changes }: ChangeBatch): void {
    if (resource !== PODS.resource && resource !== JOBS.resource) return;
    for (const { type, value, revision } of changes) {
      const object = decodeStored(value, revision, { apiVersion: "v1", kind: "" });
      if (resource === JOBS.resource) this.#onJob(object as unknown as Job, type === "DELETED");
      else this.#onPod(object as unknown as Pod);
    }
  }

  #onPod(pod: Pod): void {
    const { uid = "", finalizers, deletionTimestamp } = pod.metadata;
    const job = ownerOf(pod) ?? "";
    if (finalizers?.includes(FINALIZER)) {
      this.#held.set(uid, pod);
      const { ended } = this.#account(job);
      if (pod.status?.phase === "Succeeded") ended.succeeded.add(uid);
      else if (pod.status?.phase === "Failed" || deletionTimestamp) ended.failed.add(uid);
      return;
    }
    const last = this.#held.get(uid);
    if (!last) return;
    this.#held.delete(uid);
    const account = this.#account(job);
    const index = last.metadata.annotations?.[INDEX];
    if (pod.status?.phase === "Succeeded") {
      account.succeeded.add(index ?? uid);
      if (this.#takenDown.has(uid)) account.overtaken.add(index ?? uid);
    } else if (pod.status?.phase === "Failed" && !deletionTimestamp) account.failed.add(uid);
    else account.deleted.add(uid); // one too many is let go first, while it runs, and deleted then
  }

  #onJob({ metadata, spec, status = {} }: Job, isGone: boolean): void {
    const account = this.#account(metadata.uid ?? "");
    const { succeeded = 0, failed = 0 } = status;
    const { ended } = account;
    if (succeeded > ended.succeeded.size || failed > ended.failed.size + ended.succeeded.size)
      this.#say(`job ${metadata.name} counts ${succeeded}/${failed} of ${ended.succeeded.size}/${ended.failed.size}`);
    const isFinished = status.conditions?.some(
      ({ type, status: is }) => is === "True" && /^(Complete|Failed)$/.test(type),
    );
    if (!isFinished) return;
    // A Job that fails takes down what it knows to run, and counts it as failed, whatever comes of it meanwhile.
    const overtaken = account.succeeded.size - succeeded;
    // Those that the Job itself takes down, as there are too many, are no failures.
    const least = account.failed.size + overtaken;
    const most = least + account.deleted.size;
    if (overtaken < 0 || overtaken > account.overtaken.size || failed < least || failed > most)
      this.#say(
        `job ${metadata.name} ends with ${succeeded}/${failed}; it was ${account.succeeded.size}/${account.failed.size} to ${most}`,
      );
    const { completions } = spec;
    const isComplete = status.conditions?.some(({ type, status: is }) => is === "True" && type === "Complete");
    if (isComplete && completions !== undefined && succeeded !== completions)
      this.#say(`job ${metadata.name} is complete with ${succeeded} of ${completions}`);
    if (!isComplete && failed <= (spec.backoffLimit ?? 6))
      this.#say(`job ${metadata.name} failed after ${failed} of ${spec.backoffLimit} retries`);
    if (isGone) this.#accounts.delete(metadata.uid ?? "");
  }

  #account(job: string): Account {
    let account = this.#accounts.get(job);
    if (!account) {
      account = {
        succeeded: new Set(),
        failed: new Set(),
        deleted: new Set(),
        overtaken: new Set(),
        ended: { succeeded: new Set(), failed: new Set() },
      };
      this.#accounts.set(job, account);
    }
    return account;
  }
}
