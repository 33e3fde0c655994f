import type { ReplicaSet } from "../../../shared/api/types.ts";
import type { Draft } from "./draft.ts";
import { newSize } from "./new-replica-set.ts";
import { activeOnly, byCreation, sizeOf, sum } from "./replica-sets.ts";
import { desiredReplicas, rollingLimits } from "./rolling-limits.ts";

/**
 * A ReplicaSet that was just scaled down has more until it has done so and said so: those are not there to be relied on.
 * (Upstream counts them, and falls below the margin where the status comes late.)
 */
const availableOf = (rs: ReplicaSet): number => Math.min(rs.status?.availableReplicas ?? 0, sizeOf(rs));

/** One pass of a rolling update does one of two: up with the new, or down with the old. @returns whether it did */
export function rollOver(draft: Draft): boolean {
  return scaleUpNew(draft) || scaleDownOld(draft);
}

function scaleUpNew(draft: Draft): boolean {
  const { newRs, deployment } = draft;
  if (!newRs) return false;
  const desired = desiredReplicas(deployment);
  if (sizeOf(newRs) === desired) return false;
  if (sizeOf(newRs) > desired) return draft.scale(newRs, desired);
  return draft.scale(newRs, newSize(draft, newRs));
}

/** Keeps replicas - maxUnavailable available; new pods that are not available yet count against the margin (DEP-17). */
function scaleDownOld(draft: Draft): boolean {
  const { newRs, deployment } = draft;
  const old = activeOnly(draft.oldRss).sort(byCreation);
  if (!newRs || old.length === 0) return false;
  const minAvailable = desiredReplicas(deployment) - rollingLimits(deployment).maxUnavailable;
  const newUnavailable = sizeOf(newRs) - availableOf(newRs);
  const mayGo = draft.totalSize - minAvailable - newUnavailable;
  if (mayGo <= 0) return false;
  const cleaned = removeUnavailable(draft, old, mayGo);
  const scaled = removeAvailable(draft, old, minAvailable);
  return cleaned || scaled;
}

/** Old pods that serve nobody go first. */
function removeUnavailable(draft: Draft, old: ReplicaSet[], mayGo: number): boolean {
  let left = mayGo;
  for (const rs of old) {
    const unavailable = sizeOf(rs) - availableOf(rs);
    if (left <= 0) break;
    if (sizeOf(rs) === 0 || unavailable <= 0) continue;
    const count = Math.min(left, unavailable);
    draft.scale(rs, sizeOf(rs) - count);
    left -= count;
  }
  return left < mayGo;
}

function removeAvailable(draft: Draft, old: ReplicaSet[], minAvailable: number): boolean {
  const mayGo = sum(draft.newRs ? [...old, draft.newRs] : old, availableOf) - minAvailable;
  let left = mayGo;
  for (const rs of old) {
    if (left <= 0) break;
    if (sizeOf(rs) === 0) continue;
    const count = Math.min(left, sizeOf(rs));
    draft.scale(rs, sizeOf(rs) - count);
    left -= count;
  }
  return left < mayGo && mayGo > 0;
}
