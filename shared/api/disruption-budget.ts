import type { PodDisruptionBudgetStatus } from "./types.ts";

const DISRUPTION_ALLOWED = "DisruptionAllowed";
export const SYNC_FAILED = "SyncFailed";

type Condition = NonNullable<PodDisruptionBudgetStatus["conditions"]>[number];

export const disruptionAllowedCondition = ({ conditions }: PodDisruptionBudgetStatus): Condition | undefined =>
  conditions?.find(({ type }) => type === DISRUPTION_ALLOWED);

/**
 * A budget's status with a condition that fits its count: the disruption controller and an eviction that uses a budget
 * up both write it. The time moves only with the condition's status.
 * @param now RFC 3339
 * @param failure why the count could not be made; the budget then allows nothing
 */
export function withDisruptionAllowed(
  status: PodDisruptionBudgetStatus,
  now: string,
  failure?: string,
): PodDisruptionBudgetStatus {
  const before = disruptionAllowedCondition(status);
  const isAllowed = failure === undefined && (status.disruptionsAllowed ?? 0) > 0;
  const value = isAllowed ? "True" : "False";
  const reason = isAllowed ? "SufficientPods" : "InsufficientPods";
  const condition: Condition = {
    type: DISRUPTION_ALLOWED,
    status: value,
    ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
    lastTransitionTime: before?.status === value ? before.lastTransitionTime : now,
    reason: failure === undefined ? reason : SYNC_FAILED,
    message: failure ?? "",
  };
  const others = status.conditions ?? [];
  const conditions = before ? others.map((other) => (other === before ? condition : other)) : [...others, condition];
  return { ...status, conditions };
}

/** Whether the condition says what the status counts, of the generation that was counted. */
export function isDisruptionAllowedCurrent(status: PodDisruptionBudgetStatus): boolean {
  const condition = disruptionAllowedCondition(status);
  if (condition?.observedGeneration !== status.observedGeneration) return false;
  return condition?.status === ((status.disruptionsAllowed ?? 0) > 0 ? "True" : "False");
}
