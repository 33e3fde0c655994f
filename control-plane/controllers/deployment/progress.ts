import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";
import { findCondition, newCondition, withCondition, withoutCondition } from "./conditions.ts";
import type { Draft } from "./draft.ts";
import { desiredReplicas } from "./rolling-limits.ts";

/** "No deadline" in a field that has no null (upstream: MaxInt32). */
const NO_DEADLINE = 2 ** 31 - 1;

export const hasProgressDeadline = (d: Deployment): boolean =>
  d.spec.progressDeadlineSeconds !== undefined && d.spec.progressDeadlineSeconds !== NO_DEADLINE;

/** All replicas are of the newest template, available, and nothing old is left. */
export function isComplete(d: Deployment, status: DeploymentStatus): boolean {
  const desired = desiredReplicas(d);
  return (
    (status.updatedReplicas ?? 0) === desired &&
    (status.replicas ?? 0) === desired &&
    (status.availableReplicas ?? 0) === desired &&
    (status.observedGeneration ?? 0) >= (d.metadata.generation ?? 0)
  );
}

/** More new, fewer old, more ready or more available than the status said before (DEP-19). */
function isProgressing(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const oldReplicas = (s: DeploymentStatus) => (s.replicas ?? 0) - (s.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    oldReplicas(after) < oldReplicas(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isTimedOut(d: Deployment, condition: DeploymentCondition | undefined, nowMs: number): boolean {
  if (!condition || condition.reason === "NewReplicaSetAvailable") return false;
  if (condition.reason === "ProgressDeadlineExceeded") return true;
  return parseTime(condition.lastUpdateTime) + (d.spec.progressDeadlineSeconds ?? 0) * 1000 < nowMs;
}

/** The conditions of a rollout: Progressing as far as it got, and ReplicaFailure taken over from a ReplicaSet. */
export function decideRolloutConditions(draft: Draft, status: DeploymentStatus): DeploymentCondition[] {
  const conditions = withProgress(draft, status);
  const failure = replicaFailure(draft);
  return failure ? withCondition(conditions, failure) : withoutCondition(conditions, "ReplicaFailure");
}

function withProgress(draft: Draft, status: DeploymentStatus): DeploymentCondition[] {
  const { deployment: d, nowMs } = draft;
  const conditions = status.conditions ?? [];
  if (!hasProgressDeadline(d)) return withoutCondition(conditions, "Progressing");
  const current = findCondition(draft.conditions, "Progressing");
  const isDone = status.replicas === status.updatedReplicas && current?.reason === "NewReplicaSetAvailable";
  if (isDone) return conditions;
  const subject = draft.newRs ? `ReplicaSet "${draft.newRs.metadata.name}"` : `Deployment "${d.metadata.name}"`;
  const progressing = (isTrue: boolean, reason: string, message: string) =>
    newCondition({ type: "Progressing", status: isTrue ? "True" : "False", reason, message }, nowMs);
  if (isComplete(d, status))
    return withCondition(
      conditions,
      progressing(true, "NewReplicaSetAvailable", `${subject} has successfully progressed.`),
    );
  if (isProgressing(d.status ?? {}, status)) {
    const condition = progressing(true, "ReplicaSetUpdated", `${subject} is progressing.`);
    if (current?.status === "True") condition.lastTransitionTime = current.lastTransitionTime;
    // Taken out first: the update time must move with each advance, although status and reason stay the same.
    return withCondition(withoutCondition(conditions, "Progressing"), condition);
  }
  if (isTimedOut(d, findCondition(conditions, "Progressing"), nowMs))
    return withCondition(
      conditions,
      progressing(false, "ProgressDeadlineExceeded", `${subject} has timed out progressing.`),
    );
  return conditions;
}

function replicaFailure({ newRs, allRss }: Draft): DeploymentCondition | undefined {
  const failureOf = (rs: ReplicaSet) => rs.status?.conditions?.find((condition) => condition.type === "ReplicaFailure");
  const failure = (newRs && failureOf(newRs)) ?? allRss.map(failureOf).find((condition) => condition !== undefined);
  return failure && { ...failure, lastUpdateTime: failure.lastTransitionTime };
}

const HAS_NO_DEADLINE = new Set(["ProgressDeadlineExceeded", "NewReplicaSetAvailable"]);

/**
 * When the rollout must be looked at again for its deadline, in ms; undefined: never. The second more is upstream's. A
 * rollout that was complete once has no deadline any more, however many of its pods are missing now: looking at it each
 * second (upstream's queue at least slows down) would keep the object awake for as long as one of them crashes.
 */
export function nextProgressCheckMs(d: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const current = findCondition(status.conditions ?? [], "Progressing");
  if (!hasProgressDeadline(d) || !current) return undefined;
  if (isComplete(d, status) || HAS_NO_DEADLINE.has(current.reason ?? "")) return undefined;
  const inMs = parseTime(current.lastUpdateTime) + (d.spec.progressDeadlineSeconds ?? 0) * 1000 - nowMs;
  return Math.max(0, inMs) + 1000;
}
