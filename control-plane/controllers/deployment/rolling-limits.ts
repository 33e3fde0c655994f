import type { Deployment } from "../../../shared/api/types.ts";

export const desiredReplicas = (d: Deployment): number => d.spec.replicas ?? 1;

export const isRollingUpdate = (d: Deployment): boolean =>
  (d.spec.strategy?.type ?? "RollingUpdate") === "RollingUpdate";

/**
 * maxSurge rounded up and maxUnavailable rounded down; if both come to zero, maxUnavailable is 1, else nothing could
 * ever move (DEP-14, DEP-15). Both are 0 for Recreate.
 */
export function rollingLimits(d: Deployment): { maxSurge: number; maxUnavailable: number } {
  if (!isRollingUpdate(d)) return { maxSurge: 0, maxUnavailable: 0 };
  const desired = desiredReplicas(d);
  const { maxSurge: surge = 0, maxUnavailable: unavailable = 0 } = d.spec.strategy?.rollingUpdate ?? {};
  const maxSurge = scaled(surge, desired, Math.ceil);
  const rounded = scaled(unavailable, desired, Math.floor);
  const maxUnavailable = maxSurge === 0 && rounded === 0 ? 1 : rounded;
  return { maxSurge, maxUnavailable: Math.min(maxUnavailable, desired) };
}

function scaled(value: number | string, total: number, round: (n: number) => number): number {
  if (typeof value === "number") return value;
  return round((Number.parseInt(value, 10) * total) / 100);
}
