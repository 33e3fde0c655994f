import { isReady } from "../../../shared/api/conditions.ts";
import type { Job, Pod } from "../../../shared/api/types.ts";
import { isPodActive, isPodTerminating } from "../pod-state.ts";
import { type BackoffRecord, withEnded } from "./backoff.ts";
import { completionIndexOf, failuresBefore, ignoredFailuresBefore, indexWithin } from "./completion-index.ts";
import { judgeFailure } from "./failure-policy.ts";
import { finishedAtMs } from "./finish-time.ts";
import { hasIndex, type IndexSet, indexSetOf, parseIndexSet, sizeOf, unionOf } from "./index-set.ts";
import { isIndexed, isPodFailed } from "./spec.ts";
import { isTracked } from "./tracking-finalizer.ts";

/** What is known of a Job and its pods, counted. */
export interface Observed {
  job: Job;
  /** All that it owns. */
  pods: Pod[];
  active: Pod[];
  readyCount: number;
  terminatingCount: number;
  /** With those that the status does not count yet; of an Indexed Job: indexes. */
  succeededCount: number;
  failedCount: number;
  backoff: BackoffRecord;
  /** Nothing can be created any more, so nothing waits for a replacement. */
  isNamespaceGoing: boolean;
  indexes?: ObservedIndexes;
}

export interface ObservedIndexes {
  completions: number;
  /** As the status has them. */
  counted: IndexSet;
  succeeded: IndexSet;
  /** With backoffLimitPerIndex. */
  failed?: IndexSet;
  /**
   * With backoffLimitPerIndex: the last failed pod of an index that has no other yet. It stays until its replacement is
   * there, which inherits the count of failures.
   */
  toReplace: Map<number, Pod>;
}

export interface Known {
  job: Job;
  /** All that it owns. */
  pods: Pod[];
  /** As it was noted last. */
  backoff: BackoffRecord;
  isNamespaceGoing?: boolean;
}

export function observe({ job, pods, backoff, isNamespaceGoing = false }: Known): Observed {
  const active = pods.filter(isPodActive);
  const uncounted = job.status?.uncountedTerminatedPods;
  const isNew = (pod: Pod, noted: string[] | undefined) =>
    isTracked(pod) && !noted?.includes(pod.metadata.uid ?? "") && isCountable(pod, job);
  const newSucceeded = pods.filter((pod) => pod.status?.phase === "Succeeded" && isNew(pod, uncounted?.succeeded));
  const newFailed = pods.filter((pod) => isPodFailed(pod, job) && isNew(pod, uncounted?.failed));
  const newFailedCount = newFailed.filter((pod) => judgeFailure(job.spec.podFailurePolicy, pod).isCounted).length;
  const indexes = isIndexed(job) ? observeIndexes(job, pods, active) : undefined;
  const succeededPods = (job.status?.succeeded ?? 0) + newSucceeded.length + (uncounted?.succeeded?.length ?? 0);
  return {
    job,
    pods,
    active,
    readyCount: active.filter(isReady).length,
    terminatingCount: pods.filter(isPodTerminating).length,
    succeededCount: indexes ? sizeOf(indexes.succeeded) : succeededPods,
    failedCount: (job.status?.failed ?? 0) + newFailedCount + (uncounted?.failed?.length ?? 0),
    backoff: withEnded(backoff, newSucceeded, newFailed),
    isNamespaceGoing,
    ...(indexes ? { indexes } : {}),
  };
}

/** Pods of an Indexed Job without an index that it has are nobody's success or failure. */
const isCountable = (pod: Pod, job: Job): boolean =>
  !isIndexed(job) || indexWithin(pod, job.spec.completions ?? 0) !== undefined;

function observeIndexes(job: Job, pods: Pod[], active: Pod[]): ObservedIndexes {
  const completions = job.spec.completions ?? 0;
  const tracked = pods.filter((pod) => isTracked(pod) && isCountable(pod, job));
  const counted = parseIndexSet(job.status?.completedIndexes, completions);
  const succeeded = unionOf(counted, indexesOf(tracked.filter((pod) => pod.status?.phase === "Succeeded")));
  if (job.spec.backoffLimitPerIndex === undefined) return { completions, counted, succeeded, toReplace: new Map() };
  const failed = unionOf(
    parseIndexSet(job.status?.failedIndexes, completions),
    indexesOf(tracked.filter((pod) => isLastFailure(pod, job))),
  );
  const settled = [succeeded, failed, indexesOf(active)].reduce(unionOf);
  return { completions, counted, succeeded, failed, toReplace: podsToReplace(tracked, settled, job) };
}

export const indexesOf = (pods: Pod[]): IndexSet =>
  indexSetOf(pods.map(completionIndexOf).filter((index) => index !== undefined));

/** The index has no attempt left (JOB-05), or a rule gives it up (JOB-10). */
function isLastFailure(pod: Pod, job: Job): boolean {
  if (!isPodFailed(pod, job)) return false;
  const { isCounted, failsIndex } = judgeFailure(job.spec.podFailurePolicy, pod);
  return failsIndex || (isCounted && failuresBefore(pod) >= (job.spec.backoffLimitPerIndex ?? 0));
}

function podsToReplace(tracked: Pod[], settled: IndexSet, job: Job): Map<number, Pod> {
  const last = new Map<number, Pod>();
  for (const pod of tracked) {
    const index = completionIndexOf(pod);
    if (index === undefined || !isPodFailed(pod, job) || hasIndex(settled, index)) continue;
    const before = last.get(index);
    const isLater =
      !before || (attemptsBefore(before) <= attemptsBefore(pod) && finishedAtMs(before) <= finishedAtMs(pod));
    if (isLater) last.set(index, pod);
  }
  return last;
}

export const attemptsBefore = (pod: Pod): number => failuresBefore(pod) + ignoredFailuresBefore(pod);
