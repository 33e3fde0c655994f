import type { Job, JobStatus, Pod } from "../../../shared/api/types.ts";
import { printTime } from "../../runtime/index.ts";
import { completionIndexOf, indexWithin } from "./completion-index.ts";
import { type ConditionText, newCondition, withCondition } from "./conditions.ts";
import type { Step } from "./decide.ts";
import { COMPLETIONS_REACHED, type End } from "./end.ts";
import { judgeFailure } from "./failure-policy.ts";
import { hasIndex, indexSetOf, printIndexSet, sizeOf, unionOf } from "./index-set.ts";
import type { Observed } from "./observe.ts";
import { isPodFailed, isSuspended } from "./spec.ts";
import { isTracked } from "./tracking-finalizer.ts";

/** UIDs that may wait in the status to be counted (upstream's MaxUncountedPods: some 20 KB). */
const MAX_UNCOUNTED = 500;

/** What became of a step: the counts as they are after it. */
export interface Outcome {
  activeCount: number;
  readyCount: number;
  terminatingCount: number;
  /** Nothing that the Job had is left running, as far as the caches show. */
  isCleared: boolean;
}

/** How pods' ends get into the status: noted there by uid (or index), then released, then counted, never twice. */
export interface Tracking {
  /** To be written first. */
  status: JobStatus;
  /** Whose finalizer goes after that. */
  release: Pod[];
  end?: End;
  /** Not all that ended was noted. */
  isFull: boolean;
  events: { reason: string; message: string }[];
}

export function decideTracking(observed: Observed, step: Step, outcome: Outcome, nowMs: number): Tracking {
  const { job, pods } = observed;
  const status = draftOf(job, outcome, nowMs);
  const end = step.end ? outcome.isCleared && step.end : isComplete(observed, outcome) && COMPLETIONS_REACHED;
  const events = end || !step.isManaged ? [] : noteSuspension(job, status, nowMs);
  countReleased(status, uidsOf(pods.filter(isTracked)));
  const { release, isFull } = noteEnded(observed, status, end || undefined);
  if (end && !status.conditions?.some(({ type, status }) => type === end.type && status === "True"))
    status.conditions = [...(status.conditions ?? []), newCondition(end, nowMs)];
  return { status, release, isFull, events, ...(end ? { end } : {}) };
}

function draftOf(job: Job, { activeCount, readyCount, terminatingCount }: Outcome, nowMs: number): JobStatus {
  const status: JobStatus = structuredClone(job.status ?? {});
  if (!isSuspended(job)) status.startTime ??= printTime(nowMs);
  return {
    ...status,
    active: activeCount,
    ready: readyCount,
    terminating: terminatingCount,
    uncountedTerminatedPods: status.uncountedTerminatedPods ?? {},
  };
}

function isComplete({ job, succeededCount }: Observed, { activeCount }: Outcome): boolean {
  if (activeCount > 0) return false;
  const { completions } = job.spec;
  return completions === undefined ? succeededCount > 0 : succeededCount >= completions;
}

/** A suspended Job has no start; a resumed one starts anew, so that its deadline counts only the time it may run. */
function noteSuspension(job: Job, status: JobStatus, nowMs: number): Tracking["events"] {
  const text: ConditionText = isSuspended(job)
    ? { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }
    : { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" };
  const conditions = withCondition(status.conditions ?? [], text, nowMs);
  if (!conditions) return [];
  status.conditions = conditions;
  if (isSuspended(job)) delete status.startTime;
  else status.startTime = printTime(nowMs);
  return [{ reason: isSuspended(job) ? "Suspended" : "Resumed", message: text.message }];
}

function noteEnded(observed: Observed, status: JobStatus, end: End | undefined): Pick<Tracking, "release" | "isFull"> {
  const { job, indexes } = observed;
  const uncounted = job.status?.uncountedTerminatedPods ?? {};
  const succeeded = [...(status.uncountedTerminatedPods?.succeeded ?? [])];
  const failed = [...(status.uncountedTerminatedPods?.failed ?? [])];
  const newIndexes: number[] = [];
  const release: Pod[] = [];
  let isFull = false;
  for (const pod of indexes ? inOrderOfIndexes(observed.pods) : observed.pods) {
    if (!isTracked(pod) || !mayRelease(observed, pod, end)) continue;
    const uid = pod.metadata.uid ?? "";
    const index = indexes && indexWithin(pod, indexes.completions);
    release.push(pod);
    const isNoted = uncounted.failed?.includes(uid) ?? false;
    if (pod.status?.phase === "Succeeded" && !isNoted) {
      if (!indexes) {
        if (!uncounted.succeeded?.includes(uid)) succeeded.push(uid);
      } else if (index !== undefined && !hasIndex(indexes.counted, index)) newIndexes.push(index);
    } else if (isFailure(job, pod, end) && !isNoted && (!indexes || index !== undefined)) failed.push(uid);
    isFull = newIndexes.length + succeeded.length + failed.length >= MAX_UNCOUNTED;
    if (isFull) break;
  }
  status.uncountedTerminatedPods = {
    ...(succeeded.length > 0 ? { succeeded } : {}),
    ...(failed.length > 0 ? { failed } : {}),
  };
  if (indexes) {
    const all = unionOf(indexes.succeeded, indexSetOf(newIndexes));
    status.succeeded = sizeOf(all);
    status.completedIndexes = printIndexSet(all);
    if (indexes.failed) status.failedIndexes = printIndexSet(indexes.failed);
  }
  return { release, isFull };
}

const inOrderOfIndexes = (pods: Pod[]): Pod[] =>
  [...pods].sort((a, b) => (completionIndexOf(a) ?? -1) - (completionIndexOf(b) ?? -1));

/** Its end is settled, or the Job's is. */
function mayRelease({ job, indexes, isNamespaceGoing }: Observed, pod: Pod, end: End | undefined): boolean {
  if (job.metadata.deletionTimestamp || end || pod.status?.phase === "Succeeded") return true;
  if (!isPodFailed(pod, job)) return false;
  const index = completionIndexOf(pod);
  // Upstream keeps such a pod, and with it a namespace that is being deleted, for ever.
  return index === undefined || isNamespaceGoing || indexes?.toReplace.get(index) !== pod;
}

/** When a Job fails, each pod that has not ended counts as failed. */
function isFailure(job: Job, pod: Pod, end: End | undefined): boolean {
  if (!isPodFailed(pod, job) && end?.type !== "FailureTarget") return false;
  return judgeFailure(job.spec.podFailurePolicy, pod).isCounted;
}

/**
 * Moves what was noted and is released by now to the counters.
 * @param tracked uids of the pods that still have their finalizer
 */
export function countReleased(status: JobStatus, tracked: ReadonlySet<string>): void {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = {
    succeeded: succeeded.filter((uid) => tracked.has(uid)),
    failed: failed.filter((uid) => tracked.has(uid)),
  };
  status.succeeded = (status.succeeded ?? 0) + succeeded.length - left.succeeded.length;
  status.failed = (status.failed ?? 0) + failed.length - left.failed.length;
  status.uncountedTerminatedPods = {
    ...(left.succeeded.length > 0 ? { succeeded: left.succeeded } : {}),
    ...(left.failed.length > 0 ? { failed: left.failed } : {}),
  };
}

export const uidsOf = (pods: Pod[]): Set<string> => new Set(pods.map(({ metadata }) => metadata.uid ?? ""));

export interface Finish {
  status: JobStatus;
  event: { type: "Normal" | "Warning"; reason: string; message: string };
  hasTooManySucceeded: boolean;
}

/** Complete or Failed, once every pod is counted and gone; undefined: not yet. */
export function decideFinish(job: Job, status: JobStatus, end: End, nowMs: number): Finish | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0 || (status.terminating ?? 0) > 0) return undefined;
  const type = end.type === "SuccessCriteriaMet" ? "Complete" : "Failed";
  const { reason, message } = end;
  const conditions = withCondition(status.conditions ?? [], { type, status: "True", reason, message }, nowMs);
  const finished: JobStatus = { ...status, conditions: conditions ?? status.conditions };
  if (type === "Failed")
    return { status: finished, event: { type: "Warning", reason, message }, hasTooManySucceeded: false };
  const { completions } = job.spec;
  return {
    status: { ...finished, completionTime: printTime(nowMs) },
    event: { type: "Normal", reason: "Completed", message: "Job completed" },
    hasTooManySucceeded: completions !== undefined && (status.succeeded ?? 0) > completions,
  };
}

const KEPT_ZEROS = new Set(["ready", "terminating"]);

/** As upstream writes it: zeros and empty texts are left out, save where they differ from none. */
export function compactStatus(status: JobStatus): JobStatus {
  const entries = Object.entries(status).filter(([name, value]) => {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return false;
    return (value !== 0 || KEPT_ZEROS.has(name)) && (value !== "" || name === "failedIndexes");
  });
  return Object.fromEntries(entries) as JobStatus;
}

export const isJobStatusSame = (a: JobStatus | undefined, b: JobStatus): boolean =>
  stable(compactStatus(a ?? {})) === stable(compactStatus(b));

/** The order of keys does not matter. */
const stable = (status: JobStatus): string =>
  JSON.stringify(status, (_key, value: unknown) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
