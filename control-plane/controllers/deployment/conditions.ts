import type { DeploymentCondition } from "../../../shared/api/types.ts";
import { printTime } from "../../runtime/index.ts";

export type ConditionType = "Progressing" | "Available" | "ReplicaFailure";

export const findCondition = (
  conditions: DeploymentCondition[],
  type: ConditionType,
): DeploymentCondition | undefined => conditions.find((condition) => condition.type === type);

export const withoutCondition = (conditions: DeploymentCondition[], type: ConditionType): DeploymentCondition[] =>
  conditions.filter((condition) => condition.type !== type);

export interface ConditionText {
  type: ConditionType;
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
}

export function newCondition({ type, status, reason, message }: ConditionText, nowMs: number): DeploymentCondition {
  const now = printTime(nowMs);
  return { type, status, lastUpdateTime: now, lastTransitionTime: now, reason, message };
}

/**
 * Puts a condition last in the list. Same status and reason: nothing changes, whatever the message. Same status: the
 * transition time stays.
 */
export function withCondition(
  conditions: DeploymentCondition[],
  condition: DeploymentCondition,
): DeploymentCondition[] {
  const current = conditions.find(({ type }) => type === condition.type);
  if (current?.status === condition.status && current?.reason === condition.reason) return conditions;
  const placed =
    current?.status === condition.status ? { ...condition, lastTransitionTime: current.lastTransitionTime } : condition;
  return [...conditions.filter(({ type }) => type !== condition.type), placed];
}
