import type { V2HorizontalPodAutoscalerCondition } from "../../../shared/api/types.ts";

export type Conditions = readonly V2HorizontalPodAutoscalerCondition[];

export interface Condition {
  type: "AbleToScale" | "ScalingActive" | "ScalingLimited" | "ScaledToZero";
  isTrue: boolean;
  reason: string;
  message: string;
}

/** With one set: those there keep their places and, unless the status changes, the time of their last transition. */
export function withCondition(
  conditions: Conditions,
  { type, isTrue, reason, message }: Condition,
  now: string,
): Conditions {
  const status = isTrue ? "True" : "False";
  const old = conditions.find((condition) => condition.type === type);
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
  const next = { type, status, lastTransitionTime, reason, message };
  return old ? conditions.map((condition) => (condition === old ? next : condition)) : [...conditions, next];
}
