import { isReady } from "../../../shared/api/conditions.ts";
import type { Pod, ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "../../../shared/api/types.ts";
import { matchesLabels, printTime } from "../../runtime/index.ts";
import { nonZero } from "../non-zero.ts";
import { isPodAvailable } from "../pod-state.ts";
import { decideVictims } from "./victims.ts";

/** Pods created or deleted in one step at most (upstream BurstReplicas). */
export const BURST_REPLICAS = 500;

export interface ReplicasPlan {
  create: number;
  remove: Pod[];
}

/**
 * The next step towards spec.replicas. The caller asks only when nothing it wrote before is outstanding.
 * @param active the owned pods that count
 * @param related active and other pods of ReplicaSets of the same owner
 */
export function decideReplicas(rs: ReplicaSet, active: Pod[], related: Pod[], nowMs: number): ReplicasPlan {
  const missing = (rs.spec.replicas ?? 1) - active.length;
  if (rs.metadata.deletionTimestamp || missing === 0) return { create: 0, remove: [] };
  if (missing > 0) return { create: Math.min(missing, BURST_REPLICAS), remove: [] };
  return { create: 0, remove: decideVictims(active, related, Math.min(-missing, BURST_REPLICAS), nowMs) };
}

export interface StatusInput {
  rs: ReplicaSet;
  active: Pod[];
  /** Undefined: the status does not tell of them. */
  terminatingCount: number | undefined;
  /** Why the last step failed. */
  failure: string | undefined;
  nowMs: number;
}

/** The status to write; undefined when the one there says the same. Fields that are zero are left out, as upstream does. */
export function decideStatus({
  rs,
  active,
  terminatingCount,
  failure,
  nowMs,
}: StatusInput): ReplicaSetStatus | undefined {
  const templateLabels = rs.spec.template?.metadata?.labels;
  const ready = active.filter(isReady);
  const available = ready.filter((pod) => isPodAvailable(pod, rs.spec.minReadySeconds ?? 0, nowMs));
  const conditions = decideConditions(rs, active.length, failure, nowMs);
  const status: ReplicaSetStatus = {
    replicas: active.length,
    ...nonZero(
      "fullyLabeledReplicas",
      active.filter((pod) => matchesLabels(templateLabels, pod.metadata.labels)).length,
    ),
    ...nonZero("readyReplicas", ready.length),
    ...nonZero("availableReplicas", available.length),
    ...(terminatingCount === undefined ? {} : { terminatingReplicas: terminatingCount }),
    ...nonZero("observedGeneration", rs.metadata.generation ?? 0),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
  return isSameStatus(rs.status, status) ? undefined : status;
}

function decideConditions(
  rs: ReplicaSet,
  activeCount: number,
  failure: string | undefined,
  nowMs: number,
): ReplicaSetCondition[] {
  const before = rs.status?.conditions ?? [];
  const hasFailed = before.some((condition) => condition.type === "ReplicaFailure");
  if (failure === undefined) return before.filter((condition) => condition.type !== "ReplicaFailure");
  if (hasFailed) return before;
  const surplus = activeCount - (rs.spec.replicas ?? 1);
  const reason = surplus < 0 ? "FailedCreate" : surplus > 0 ? "FailedDelete" : "";
  return [
    ...before,
    { type: "ReplicaFailure", status: "True", lastTransitionTime: printTime(nowMs), reason, message: failure },
  ];
}

function isSameStatus(a: ReplicaSetStatus | undefined, b: ReplicaSetStatus): boolean {
  return (
    a !== undefined &&
    a.replicas === b.replicas &&
    (a.fullyLabeledReplicas ?? 0) === (b.fullyLabeledReplicas ?? 0) &&
    (a.readyReplicas ?? 0) === (b.readyReplicas ?? 0) &&
    (a.availableReplicas ?? 0) === (b.availableReplicas ?? 0) &&
    a.terminatingReplicas === b.terminatingReplicas &&
    (a.observedGeneration ?? 0) === (b.observedGeneration ?? 0) &&
    JSON.stringify(a.conditions ?? []) === JSON.stringify(b.conditions ?? [])
  );
}
