import { isReady } from "../../../shared/api/conditions.ts";
import { isDisruptionAllowedCurrent, withDisruptionAllowed } from "../../../shared/api/disruption-budget.ts";
import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import type { Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../../shared/api/types.ts";
import { parseTime, printTime } from "../../runtime/index.ts";

/** An evicted pod that is still there after so long was not deleted after all: it counts as healthy again. */
const DELETION_TIMEOUT_MS = 2 * 60_000;
/** A pod that was to be disrupted and lives on loses its DisruptionTarget condition after so long. */
const STALE_CONDITION_MS = 2 * 60_000;

/** What the controllers of a budget's pods want, and the pods that none controls. */
export interface ExpectedScale {
  replicas: number;
  unmanaged: string[];
}

/** Whether the budget counts from its pods' controllers; one with a plain number of available pods need not. */
export const countsControllers = ({ spec }: PodDisruptionBudget): boolean =>
  spec.maxUnavailable !== undefined || typeof spec.minAvailable === "string";

export interface BudgetPlan {
  /** The status to write; undefined if it stands as it should. */
  status?: PodDisruptionBudgetStatus;
  /** Evicted pods that were not deleted in time. */
  notDeleted: Pod[];
  recheckAfterMs?: number;
}

/**
 * A budget's status from the pods that it selects.
 * @param scale of their controllers; undefined where it is not asked for
 * @param nowMs epoch ms
 */
export function decide(
  budget: PodDisruptionBudget,
  pods: Pod[],
  scale: ExpectedScale | undefined,
  nowMs: number,
): BudgetPlan {
  const { expectedPods, desiredHealthy } = wanted(budget, pods, scale);
  const { disruptedPods, notDeleted, recheckAfterMs } = disrupted(budget, pods, nowMs);
  const currentHealthy = pods.filter(
    (pod) => !pod.metadata.deletionTimestamp && !Object.hasOwn(disruptedPods, pod.metadata.name) && isReady(pod),
  ).length;
  const spare = currentHealthy - desiredHealthy;
  const next: PodDisruptionBudgetStatus = {
    ...(budget.status?.conditions ? { conditions: budget.status.conditions } : {}),
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed: expectedPods <= 0 || spare <= 0 ? 0 : spare,
    ...(Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {}),
    observedGeneration: budget.metadata.generation,
  };
  const isCurrent = isSame(budget.status ?? {}, next) && isDisruptionAllowedCurrent(budget.status ?? {});
  return {
    ...(isCurrent ? {} : { status: withDisruptionAllowed(next, printTime(nowMs)) }),
    notDeleted,
    recheckAfterMs,
  };
}

/** The status of a budget whose pods could not be counted. Undefined if it says so already. */
export function decideFailed(
  { status = {} }: PodDisruptionBudget,
  message: string,
  nowMs: number,
): PodDisruptionBudgetStatus | undefined {
  const failed = withDisruptionAllowed({ ...status, disruptionsAllowed: 0 }, printTime(nowMs), message);
  return JSON.stringify(failed) === JSON.stringify(status) ? undefined : failed;
}

function wanted({ spec }: PodDisruptionBudget, pods: Pod[], scale: ExpectedScale | undefined) {
  const { maxUnavailable, minAvailable } = spec;
  if (maxUnavailable !== undefined) {
    const expectedPods = scale?.replicas ?? 0;
    return { expectedPods, desiredHealthy: Math.max(0, expectedPods - scaled(maxUnavailable, expectedPods)) };
  }
  if (typeof minAvailable === "number") return { expectedPods: pods.length, desiredHealthy: minAvailable };
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  const expectedPods = scale?.replicas ?? 0;
  return { expectedPods, desiredHealthy: scaled(minAvailable, expectedPods) };
}

/** A number, or that part of a hundred of the total, rounded up. */
function scaled(value: number | string, total: number): number {
  return typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
}

/** Of the pods that evictions have entered, those whose deletion is still to be seen. */
function disrupted({ status }: PodDisruptionBudget, pods: Pod[], nowMs: number) {
  const disruptedPods: Record<string, string> = {};
  const notDeleted: Pod[] = [];
  let recheckAfterMs: number | undefined;
  for (const pod of pods) {
    const evictedAt = status?.disruptedPods?.[pod.metadata.name];
    if (evictedAt === undefined || pod.metadata.deletionTimestamp) continue;
    const leftMs = parseTime(evictedAt) + DELETION_TIMEOUT_MS - nowMs;
    if (leftMs < 0) {
      notDeleted.push(pod);
      continue;
    }
    disruptedPods[pod.metadata.name] = evictedAt;
    recheckAfterMs = Math.min(recheckAfterMs ?? leftMs, leftMs);
  }
  return { disruptedPods, notDeleted, recheckAfterMs };
}

const COUNTS = [
  "currentHealthy",
  "desiredHealthy",
  "expectedPods",
  "disruptionsAllowed",
  "observedGeneration",
] as const;

function isSame(before: PodDisruptionBudgetStatus, next: PodDisruptionBudgetStatus): boolean {
  const evicted = (status: PodDisruptionBudgetStatus) =>
    Object.entries(status.disruptedPods ?? {})
      .sort()
      .join();
  return COUNTS.every((name) => (before[name] ?? 0) === (next[name] ?? 0)) && evicted(before) === evicted(next);
}

/**
 * How long until the pod's DisruptionTarget condition counts as stale, 0 if it is; undefined for a pod that has none,
 * is on its way out, or was ended by its kubelet.
 */
export function staleConditionInMs(pod: Pod, nowMs: number): number | undefined {
  if (pod.metadata.deletionTimestamp || isPodTerminal(pod)) return undefined;
  const condition = pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  if (condition?.status !== "True" || condition.reason === "TerminationByKubelet") return undefined;
  return Math.max(0, parseTime(condition.lastTransitionTime) + STALE_CONDITION_MS - nowMs);
}
