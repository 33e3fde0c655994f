import type { Deployment, ReplicaSet } from "../../../shared/api/types.ts";
import type { Draft } from "./draft.ts";
import { activeOnly, byCreation, bySizeNewer, bySizeOlder, sizeOf, totalSize } from "./replica-sets.ts";
import { DESIRED_REPLICAS, MAX_REPLICAS, replicasAnnotation } from "./revision.ts";
import { desiredReplicas, isRollingUpdate, rollingLimits } from "./rolling-limits.ts";

/** Whether spec.replicas changed since the ReplicaSets were last scaled. */
export function isScalingEvent({ deployment, allRss }: Draft): boolean {
  return activeOnly(allRss).some((rs) => {
    const desired = replicasAnnotation(rs, DESIRED_REPLICAS);
    return desired !== undefined && desired !== desiredReplicas(deployment);
  });
}

/**
 * Follows a change of spec.replicas, also while paused or in the middle of a rollout: one active ReplicaSet takes it
 * all; several share it in proportion to their sizes, which lowers the risk of a rollout that goes wrong.
 */
export function scaleToSpec(draft: Draft): void {
  const { deployment, newRs, oldRss } = draft;
  const desired = desiredReplicas(deployment);
  const only = activeOrLatest(draft);
  if (only) {
    draft.scale(only, desired);
    return;
  }
  if (newRs && isSaturated(deployment, newRs)) {
    for (const rs of activeOnly(oldRss)) draft.scale(rs, 0);
    return;
  }
  if (isRollingUpdate(deployment)) scaleInProportion(draft);
}

/** The one active ReplicaSet; with none active the new one, else the youngest; undefined when several are active. */
function activeOrLatest({ newRs, oldRss, allRss }: Draft): ReplicaSet | undefined {
  const active = activeOnly(allRss);
  if (active.length > 1) return undefined;
  return active[0] ?? newRs ?? [...oldRss].sort(byCreation).at(-1);
}

function isSaturated(d: Deployment, rs: ReplicaSet): boolean {
  const desired = desiredReplicas(d);
  return (
    sizeOf(rs) === desired &&
    Number(rs.metadata.annotations?.[DESIRED_REPLICAS]) === desired &&
    (rs.status?.availableReplicas ?? 0) === desired
  );
}

function scaleInProportion(draft: Draft): void {
  const { deployment } = draft;
  const desired = desiredReplicas(deployment);
  const active = activeOnly(draft.allRss);
  const allowed = desired > 0 ? desired + rollingLimits(deployment).maxSurge : 0;
  const toAdd = allowed - totalSize(active);
  active.sort(toAdd > 0 ? bySizeNewer : bySizeOlder);
  let added = 0;
  const sizes = active.map((rs) => {
    const share = proportion(rs, deployment, toAdd, added);
    added += share;
    return sizeOf(rs) + share;
  });
  // What rounding leaves over goes to the largest.
  const largest = sizes[0];
  if (largest !== undefined && toAdd !== 0) sizes[0] = Math.max(0, largest + toAdd - added);
  active.forEach((rs, i) => {
    draft.scale(rs, sizes[i] ?? sizeOf(rs), { force: true });
  });
}

/** The part of `toAdd` (negative: to remove) that falls to one ReplicaSet; never past what is left of it. */
function proportion(rs: ReplicaSet, d: Deployment, toAdd: number, added: number): number {
  if (sizeOf(rs) === 0 || toAdd === 0 || toAdd === added) return 0;
  const fraction = fractionOf(rs, d);
  const left = toAdd - added;
  return toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

function fractionOf(rs: ReplicaSet, d: Deployment): number {
  const desired = desiredReplicas(d);
  if (desired === 0) return -sizeOf(rs);
  const maxNow = desired + rollingLimits(d).maxSurge;
  const maxBefore = replicasAnnotation(rs, MAX_REPLICAS) || (d.status?.replicas ?? 0);
  if (maxBefore === 0) return 0;
  return roundHalfAway((sizeOf(rs) * maxNow) / maxBefore) - sizeOf(rs);
}

/** As upstream's RoundToInt32. */
const roundHalfAway = (n: number): number => (n < 0 ? Math.ceil(n - 0.5) : Math.floor(n + 0.5));
