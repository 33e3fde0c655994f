import type { Pod } from "../../../shared/api/types.ts";
import { isPodTerminating } from "../pod-state.ts";
import { remainingBackoffMs } from "./backoff.ts";
import { decideEnd, type End, remainingActiveMs } from "./end.ts";
import { finishedAtMs } from "./finish-time.ts";
import { firstOutside, unionOf } from "./index-set.ts";
import { attemptsBefore, indexesOf, type Observed } from "./observe.ts";
import { isSuspended, replacesOnlyFailed } from "./spec.ts";
import { decideSurplus } from "./surplus.ts";

/** Pods created or deleted in one step at most (upstream's MaxPodCreateDeletePerSync). */
export const MAX_PODS_PER_STEP = 500;
/** Changes of pods are looked at together, so that many pods that end make few writes (upstream's SyncJobBatchPeriod). */
export const BATCH_MS = 1000;

/** What to do with a Job's pods. */
export interface Step {
  /** The Job is to end: its active pods go. */
  end?: End;
  remove: Pod[];
  /** The removed pods are of no account: they lose their tracking finalizer before they are deleted. */
  removesUncounted: boolean;
  /** One per pod to create; with the index of an Indexed Job. */
  create: { index?: number }[];
  /**
   * Replacements wait for the back-off. Upstream's status says meanwhile that nothing is active (and while some of the
   * pods are ready, the API refuses a status that says so: then nothing is counted until the wait is over).
   */
  isBackingOff: boolean;
  /** Whether it was decided how many pods there should be: suspension is told only then. */
  isManaged: boolean;
  recheckAfterMs?: number;
}

const NOTHING: Step = { remove: [], removesUncounted: false, create: [], isBackingOff: false, isManaged: false };

/**
 * The next step of a Job. Same input, same step.
 * @param mayAct nothing that was done before is outstanding in the caches
 */
export function decideStep(observed: Observed, mayAct: boolean, nowMs: number): Step {
  const { job, active } = observed;
  const end = decideEnd(observed, nowMs);
  if (end) return { ...NOTHING, end, remove: active };
  const deadlineMs = remainingActiveMs(observed, nowMs);
  const isGoing = observed.isNamespaceGoing || !!job.metadata.deletionTimestamp;
  const step = mayAct && !isGoing ? decidePods(observed, nowMs) : NOTHING;
  const recheckAfterMs = Math.min(
    step.recheckAfterMs ?? Number.POSITIVE_INFINITY,
    deadlineMs ?? Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(recheckAfterMs) ? { ...step, recheckAfterMs } : step;
}

function decidePods(observed: Observed, nowMs: number): Step {
  const { job, active } = observed;
  const managed: Step = { ...NOTHING, isManaged: true };
  if (isSuspended(job))
    return { ...managed, remove: decideSurplus(job, active, active.length), removesUncounted: true };
  const wanted = wantedActive(observed);
  const remove = decideSurplus(job, active, Math.max(0, active.length - wanted)).slice(0, MAX_PODS_PER_STEP);
  if (remove.length > 0) return { ...managed, remove, removesUncounted: true };
  const leaving = replacesOnlyFailed(job) ? observed.terminatingCount : 0;
  const missing = Math.min(wanted - leaving - active.length, MAX_PODS_PER_STEP);
  return missing > 0 ? { ...managed, ...decideCreations(observed, missing, nowMs) } : managed;
}

/** Without completions, the first success means that no more pods are started (a work queue is empty). */
function wantedActive({ job, active, succeededCount }: Observed): number {
  const { completions, parallelism = 1 } = job.spec;
  if (completions === undefined) return succeededCount > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeededCount, parallelism));
}

type Creations = Pick<Step, "create" | "isBackingOff" | "recheckAfterMs">;

function decideCreations(observed: Observed, missing: number, nowMs: number): Creations {
  const { job, backoff, indexes } = observed;
  const isPerIndex = job.spec.backoffLimitPerIndex !== undefined;
  if (!isPerIndex) {
    const waitMs = remainingBackoffMs(backoff, nowMs);
    if (waitMs > 0) return waitingFor(waitMs);
  }
  if (!indexes) return creating(Array.from({ length: missing }, () => ({})));
  const pending = pendingIndexes(observed, missing);
  const waits = pending.map((index) => ({ index, waitMs: remainingOfIndexMs(indexes.toReplace.get(index), nowMs) }));
  const due = waits.filter(({ waitMs }) => !isPerIndex || waitMs === 0);
  if (due.length > 0 || waits.length === 0) return creating(due.map(({ index }) => ({ index })));
  return waitingFor(Math.min(...waits.map(({ waitMs }) => waitMs)));
}

const creating = (create: Step["create"]): Creations => ({ create, isBackingOff: false });

const waitingFor = (waitMs: number): Creations => ({
  create: [],
  isBackingOff: true,
  recheckAfterMs: Math.max(BATCH_MS, waitMs),
});

function pendingIndexes({ job, active, pods, indexes }: Observed, count: number): number[] {
  if (!indexes) return [];
  const leaving = replacesOnlyFailed(job) ? pods.filter(isPodTerminating) : [];
  const taken = [indexes.succeeded, indexes.failed ?? [], indexesOf([...active, ...leaving])].reduce(unionOf);
  return firstOutside(taken, count, indexes.completions);
}

/** Each index backs off by itself; the pod that failed last tells how often it has. */
function remainingOfIndexMs(lastFailed: Pod | undefined, nowMs: number): number {
  if (!lastFailed) return 0;
  return remainingBackoffMs(
    { failures: attemptsBefore(lastFailed) + 1, lastFailureMs: finishedAtMs(lastFailed) },
    nowMs,
  );
}
