import type { DaemonSet } from "../../../shared/api/types.ts";

/**
 * How many nodes may be without their pod, or have two, during a rolling update; percentages are of the nodes that
 * should run one, rounded up. If both come to zero, one may be without, else nothing could move.
 */
export function rollingLimits(set: DaemonSet, nodes: number): { maxSurge: number; maxUnavailable: number } {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type !== "RollingUpdate") return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = scaled(rollingUpdate?.maxSurge ?? 0, nodes);
  const maxUnavailable = scaled(rollingUpdate?.maxUnavailable ?? 0, nodes);
  return { maxSurge, maxUnavailable: nodes > 0 && maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

/** New pods are started beside the old ones. */
export const surges = (set: DaemonSet): boolean => rollingLimits(set, 1).maxSurge > 0;

const scaled = (value: number | string, total: number): number =>
  typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
