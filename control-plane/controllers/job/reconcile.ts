import { isReady } from "../../../shared/api/conditions.ts";
import { JOBS, PODS } from "../../../shared/api/refs.ts";
import { isNotFound } from "../../../shared/api/status.ts";
import type { Job, JobStatus, Namespace, Pod } from "../../../shared/api/types.ts";
import {
  type ControllerDeps,
  done,
  type Expectations,
  type Informer,
  keyOf,
  type OwnWrites,
  type Requeue,
  requeueAfter,
} from "../../runtime/index.ts";
import { BY_CONTROLLER, orphansOf } from "../by-controller.ts";
import { claimObjects } from "../claim.ts";
import { inParallel } from "../in-parallel.ts";
import { isJobFinished } from "../job-state.ts";
import { isGoing } from "../namespace-state.ts";
import { isNamespaceTerminating, type PodControl } from "../pod-control.ts";
import { slowStart } from "../slow-start.ts";
import type { BackoffNotes } from "./backoff-notes.ts";
import { BATCH_MS, decideStep, type Step } from "./decide.ts";
import { type Observed, observe } from "./observe.ts";
import { podOf } from "./pod-of.ts";
import { isManagedElsewhere } from "./spec.ts";
import {
  compactStatus,
  countReleased,
  decideFinish,
  decideTracking,
  isJobStatusSame,
  type Outcome,
  type Tracking,
  uidsOf,
} from "./track.ts";
import { isTracked, TRACKING_FINALIZER } from "./tracking-finalizer.ts";

export interface JobDeps extends ControllerDeps {
  jobs: Informer<Job>;
  pods: Informer<Pod>;
  namespaces: Informer<Namespace>;
  /** Deletions of pods that the cache does not show yet. */
  expectations: Expectations;
  ownWrites: OwnWrites;
  backoffs: BackoffNotes;
  podControl: PodControl;
  /** Looks at a Job again after so many ms, also if the step that asks for it fails in the end. */
  recheck(key: string, afterMs: number): void;
}

export async function reconcile(key: string, deps: JobDeps): Promise<Requeue> {
  const { clock, log, backoffs } = deps;
  const job = deps.jobs.get(key);
  if (!job || isJobFinished(job)) {
    deps.expectations.forget(key);
    deps.ownWrites.forget(key);
    backoffs.forget(key);
    return done;
  }
  if (isManagedElsewhere(job)) return done;
  if (!deps.ownWrites.areSeen(key)) return requeueAfter(BATCH_MS);
  // Asked before the cache is read: what is observed after this is in the cache.
  const mayAct = deps.expectations.areSatisfied(key);
  const namespace = deps.namespaces.get(job.metadata.namespace ?? "");
  const isNamespaceGoing = namespace !== undefined && isGoing(namespace);
  const observed = observe({ job, pods: await ownedPods(job, deps), backoff: backoffs.get(job), isNamespaceGoing });
  const step = decideStep(observed, mayAct, clock.nowMs());
  const { end, remove, create } = step;
  if (end || remove.length > 0 || create.length > 0)
    log.info("job plan", {
      key,
      end,
      remove: remove.map(keyOf),
      create: create.length,
      recheckAfterMs: step.recheckAfterMs,
    });
  if (step.recheckAfterMs !== undefined) deps.recheck(key, Math.max(1, step.recheckAfterMs));
  const { failure, ...outcome } = await carryOut(observed, step, deps);
  const isCleared = outcome.isCleared && mayAct;
  await track(observed, step, { ...outcome, isCleared }, deps);
  if (failure !== undefined) throw failure;
  return done;
}

function ownedPods(job: Job, { api, pods }: JobDeps): Promise<Pod[]> {
  return claimObjects({
    api,
    owner: job,
    ownerRef: JOBS,
    selector: job.spec.selector,
    objects: [
      ...pods.byIndex(BY_CONTROLLER, job.metadata.uid ?? ""),
      ...pods.byIndex(BY_CONTROLLER, orphansOf(job.metadata.namespace)),
    ],
    objectRef: PODS,
    finalizer: TRACKING_FINALIZER,
  });
}

/** Deletes and creates pods. `failure` is the first error; what succeeded is in the counts all the same. */
async function carryOut(observed: Observed, step: Step, deps: JobDeps): Promise<Outcome & { failure?: unknown }> {
  const { active, readyCount, terminatingCount } = observed;
  const removal = step.remove.length > 0 ? await removePods(observed.job, step, deps) : { done: [] };
  const creation = step.create.length > 0 ? await createPods(observed, step.create, deps) : { done: 0 };
  const failure = removal.error ?? creation.error;
  return {
    activeCount: step.isBackingOff ? 0 : active.length - removal.done.length + creation.done,
    readyCount: readyCount - removal.done.filter(isReady).length,
    terminatingCount: terminatingCount + removal.done.length,
    isCleared: removal.done.length === active.length,
    ...(failure === undefined ? {} : { failure }),
  };
}

function removePods(job: Job, { remove, removesUncounted }: Step, deps: JobDeps) {
  const { expectations, podControl } = deps;
  const key = keyOf(job);
  expectations.expectDeletions(key, remove.map(keyOf));
  return inParallel(remove, async (pod) => {
    try {
      if (removesUncounted) await releasePod(pod, key, deps);
      await podControl.remove(pod, job);
    } catch (error) {
      expectations.deletionObserved(key, keyOf(pod));
      if (!isNotFound(error)) throw error;
    }
  });
}

function createPods({ job, indexes }: Observed, create: Step["create"], { podControl, ownWrites, pods }: JobDeps) {
  const left = [...create];
  return slowStart(create.length, async () => {
    const index = left.shift()?.index;
    const replaced = index === undefined ? undefined : indexes?.toReplace.get(index);
    try {
      ownWrites.wrote(keyOf(job), pods, await podControl.create(podOf(job, index, replaced), job));
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
}

/**
 * Notes the ends of pods in the status, releases these pods, counts them, and ends the Job when nothing is left. Whatever
 * write is the last one before a crash: a pod's uid stays noted until its finalizer is gone, so it is counted once.
 * @throws when a write failed
 */
async function track(observed: Observed, step: Step, outcome: Outcome, deps: JobDeps): Promise<void> {
  const { clock, events, backoffs } = deps;
  const tracking = decideTracking(observed, step, outcome, clock.nowMs());
  const noted = await writeStatus(observed.job, tracking.status, deps);
  for (const { reason, message } of tracking.events) events.event(observed.job, "Normal", reason, message);
  if (observed.job.spec.backoffLimitPerIndex === undefined) backoffs.put(observed.job, observed.backoff);
  const released = await inParallel(tracking.release, (pod) => releasePod(pod, keyOf(noted), deps));
  const tracked = uidsOf(observed.pods.filter(isTracked));
  for (const uid of uidsOf(released.done)) tracked.delete(uid);
  const status: JobStatus = structuredClone(noted.status ?? {});
  countReleased(status, tracked);
  if (released.error === undefined) await finish(noted, status, tracking, deps);
  else {
    await writeStatus(noted, status, deps);
    throw released.error;
  }
}

async function finish(job: Job, status: JobStatus, { end, isFull }: Tracking, deps: JobDeps): Promise<void> {
  const finish = end && !isFull ? decideFinish(job, status, end, deps.clock.nowMs()) : undefined;
  const written = await writeStatus(job, finish?.status ?? status, deps);
  if (!finish) return;
  deps.log.info("job finished", { key: keyOf(job), ...finish.event });
  if (finish.hasTooManySucceeded) {
    const message = "Too many succeeded pods running after completion count reached";
    deps.events.event(written, "Warning", "TooManySucceededPods", message);
  }
  deps.events.event(written, finish.event.type, finish.event.reason, finish.event.message);
}

/** Takes the tracking finalizer off; a pod that is gone has none, and must not be counted again for as long as it is seen. */
async function releasePod(pod: Pod, key: string, { api, ownWrites, pods }: JobDeps): Promise<void> {
  const patched = await removeTrackingFinalizer(pod, api);
  if (patched) ownWrites.wrote(key, pods, patched);
  else if (isTracked(pod)) ownWrites.foundGone(key, pods, pod);
}

export async function removeTrackingFinalizer(pod: Pod, api: JobDeps["api"]): Promise<Pod | undefined> {
  if (!isTracked(pod)) return undefined;
  const { name, namespace, uid } = pod.metadata;
  const metadata = { uid, "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER] };
  try {
    return await api.patch<Pod>(PODS, { name, namespace }, "strategic", { metadata });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** @returns the Job as it is then; one that is gone has what nobody will read */
async function writeStatus(job: Job, status: JobStatus, { api, ownWrites, jobs }: JobDeps): Promise<Job> {
  if (isJobStatusSame(job.status, status)) return job;
  const changed: Job = { ...job, status: compactStatus(status) };
  try {
    const written = await api.update<Job>(JOBS, changed, "status");
    ownWrites.wrote(keyOf(job), jobs, written);
    return written;
  } catch (error) {
    if (isNotFound(error)) return changed;
    throw error;
  }
}
