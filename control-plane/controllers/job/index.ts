import { JOBS, NAMESPACES, PODS } from "../../../shared/api/refs.ts";
import { matchesLabelSelector } from "../../../shared/api/selector.ts";
import type { Job, Namespace, Pod } from "../../../shared/api/types.ts";
import {
  type ControllerDefinition,
  controllerOf,
  done,
  type Enqueue,
  Expectations,
  type InformerEvent,
  keyOf,
  OwnWrites,
  type Requeue,
} from "../../runtime/index.ts";
import { BY_CONTROLLER, byController, orphansOf } from "../by-controller.ts";
import { isJobFinished } from "../job-state.ts";
import { isGoing } from "../namespace-state.ts";
import { ownerKey, wakeOwners } from "../owner-keys.ts";
import { podControl } from "../pod-control.ts";
import { observePod } from "../pod-expectations.ts";
import { BackoffNotes } from "./backoff-notes.ts";
import { BATCH_MS } from "./decide.ts";
import { type JobDeps, reconcile, removeTrackingFinalizer } from "./reconcile.ts";
import { isManagedElsewhere } from "./spec.ts";
import { isTracked } from "./tracking-finalizer.ts";

/** Keys that are no Job's: a pod whose finalizer nobody waits for, and the look at notes of Jobs that are gone. */
const POD_KEY = "pod:";
const NOTES_KEY = "notes:";

/**
 * Runs Jobs to their end: creates pods, replaces failed ones with a growing delay, counts each pod's end once (its
 * finalizer holds it until then), and says in conditions how the Job ended. It deletes no Job: that is
 * ttl-after-finished's.
 */
export const jobController: ControllerDefinition = {
  name: "job",
  serviceAccount: "job-controller",
  build(base) {
    let enqueueLater: Enqueue = () => {};
    const deps: JobDeps = {
      ...base,
      jobs: base.informer<Job>(JOBS),
      pods: base.informer<Pod>(PODS),
      namespaces: base.informer<Namespace>(NAMESPACES),
      expectations: new Expectations(base.clock),
      ownWrites: new OwnWrites(),
      backoffs: new BackoffNotes(base.notes),
      podControl: podControl(base.api, base.events),
      recheck: (key, afterMs) => enqueueLater(key, afterMs),
    };
    deps.pods.addIndex(BY_CONTROLLER, byController);
    return {
      concurrency: 5,
      // Upstream's DefaultJobApiBackOff and MaxJobApiBackOff: a quota that refuses pods makes few events.
      backoff: { baseMs: 1000, maxMs: 60_000 },
      start(enqueue) {
        enqueueLater = enqueue;
        deps.jobs.onEvent((event) => onJob(event, deps, enqueue));
        deps.pods.onEvent((event) => onPod(event, deps, enqueue));
        deps.namespaces.onEvent(({ type, object }) => {
          if (type === "updated" && isGoing(object))
            for (const job of deps.jobs.list(object.metadata.name)) enqueue(keyOf(job), BATCH_MS);
        });
        enqueue(NOTES_KEY);
      },
      reconcile: (key) => {
        if (key === NOTES_KEY) return dropOldNotes(deps);
        return key.startsWith(POD_KEY) ? releaseOrphan(key.slice(POD_KEY.length), deps) : reconcile(key, deps);
      },
    };
  },
};

function onJob(event: InformerEvent<Job>, deps: JobDeps, enqueue: Enqueue): void {
  const job = event.object;
  if (event.type === "deleted" || (event.type === "updated" && isJobFinished(job))) enqueueTracked(job, deps, enqueue);
  const isOwnStatus = event.type === "updated" && event.old.metadata.generation === job.metadata.generation;
  enqueue(keyOf(job), isOwnStatus ? BATCH_MS : undefined);
}

function onPod(event: InformerEvent<Pod>, deps: JobDeps, enqueue: Enqueue): void {
  const pod = event.object;
  const key = wakeOwners(event, {
    owners: deps.jobs,
    selectorOf: ({ spec }) => spec.selector,
    enqueue: (key) => enqueue(key, BATCH_MS),
  });
  if (key !== undefined) observePod(event, key, deps.expectations);
  if (event.type !== "deleted" && isTracked(pod) && mayBeOrphan(pod, jobOf(pod, deps))) enqueue(POD_KEY + keyOf(pod));
}

/** Nobody's, or to be deleted while its Job cannot count it any more. */
const mayBeOrphan = (pod: Pod, job: Job | undefined): boolean =>
  !controllerOf(pod) || (!!pod.metadata.deletionTimestamp && (!job || isJobFinished(job)));

function jobOf(pod: Pod, { jobs }: JobDeps): Job | undefined {
  const key = ownerKey(pod, jobs);
  return key === undefined ? undefined : jobs.get(key);
}

/** What a Job leaves behind when it is gone or done. */
function enqueueTracked(job: Job, { pods }: JobDeps, enqueue: Enqueue): void {
  const left = [
    ...pods.byIndex(BY_CONTROLLER, job.metadata.uid ?? ""),
    ...pods.byIndex(BY_CONTROLLER, orphansOf(job.metadata.namespace)),
  ];
  for (const pod of left)
    if (isTracked(pod) && matchesLabelSelector(job.spec.selector, pod.metadata.labels)) enqueue(POD_KEY + keyOf(pod));
}

/** Takes the tracking finalizer off a pod that no Job will count. */
async function releaseOrphan(key: string, deps: JobDeps): Promise<Requeue> {
  const pod = deps.pods.get(key);
  const owner = pod && controllerOf(pod);
  if (!pod || (owner && owner.kind !== "Job")) return done;
  const job = jobOf(pod, deps);
  if (job && (isManagedElsewhere(job) || !isJobFinished(job))) return done;
  if (isTracked(pod)) deps.log.info("job releases an orphan", { pod: key });
  await removeTrackingFinalizer(pod, deps.api);
  return done;
}

/** Jobs may have gone while nobody listened. */
async function dropOldNotes({ backoffs, jobs }: JobDeps): Promise<Requeue> {
  for (const key of backoffs.keys()) if (!jobs.get(key)) backoffs.forget(key);
  return done;
}
