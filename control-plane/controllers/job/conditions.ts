import type { JobCondition } from "../../../shared/api/types.ts";
import { printTime } from "../../runtime/index.ts";

export interface ConditionText {
  type: "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet" | "Suspended";
  status: "True" | "False";
  reason: string;
  message: string;
}

export function newCondition({ type, status, reason, message }: ConditionText, nowMs: number): JobCondition {
  const now = printTime(nowMs);
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
}

/**
 * Sets a condition in its place, or puts it last. One that would say False for the first time says nothing.
 * @returns undefined when nothing changes
 */
export function withCondition(
  conditions: JobCondition[],
  text: ConditionText,
  nowMs: number,
): JobCondition[] | undefined {
  const current = conditions.find(({ type }) => type === text.type);
  if (!current) return text.status === "False" ? undefined : [...conditions, newCondition(text, nowMs)];
  const isSame = current.status === text.status && current.reason === text.reason && current.message === text.message;
  if (isSame) return undefined;
  return conditions.map((condition) => (condition === current ? newCondition(text, nowMs) : condition));
}
