import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import type { Pod, StatefulSet } from "../../../shared/api/types.ts";
import { isPodAvailable } from "../pod-state.ts";
import { replicasOf } from "./ordinal.ts";
import { revisionOf } from "./pod.ts";

/** A place in the range of ordinals, and the pod that is there. */
export interface Slot {
  ordinal: number;
  pod: Pod | undefined;
}

export interface Rollout {
  /** In rising order. */
  slots: Slot[];
  updateRevision: string;
}

/**
 * The pods to replace now, from the highest ordinal down to the partition (STS-03): with `maxUnavailable` as many as may
 * be unavailable, else one, when all above it are of the new revision and available.
 */
export function decideUpdates(set: StatefulSet, { slots, updateRevision }: Rollout, nowMs: number): Pod[] {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === "OnDelete") return [];
  const falling = [...slots].reverse();
  const mayGo = falling.slice(0, Math.max(0, falling.length - (rollingUpdate?.partition ?? 0)));
  const isUnavailable = (pod: Pod | undefined) =>
    !pod || !!pod.metadata.deletionTimestamp || !isPodAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
  // One that has ended is deleted for that reason.
  const isOld = (pod: Pod | undefined): pod is Pod =>
    !!pod && revisionOf(pod) !== updateRevision && !pod.metadata.deletionTimestamp && !isPodTerminal(pod);
  if (rollingUpdate?.maxUnavailable !== undefined) {
    const unavailable = slots.filter(({ pod }) => isUnavailable(pod)).length;
    const limit = unavailableLimit(rollingUpdate.maxUnavailable, replicasOf(set));
    const old = mayGo.map(({ pod }) => pod).filter(isOld);
    return old.slice(0, Math.max(0, limit - unavailable));
  }
  for (const { pod } of mayGo) {
    if (isOld(pod)) return [pod];
    if (isUnavailable(pod)) return [];
  }
  return [];
}

/** Rounded down, but at least one, else nothing could move (KEP-961). */
function unavailableLimit(value: number | string, replicas: number): number {
  const count = typeof value === "number" ? value : Math.floor((Number.parseInt(value, 10) * replicas) / 100);
  return Math.max(1, count);
}
