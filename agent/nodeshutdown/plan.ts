import { CRITICAL_PRIORITY, type Pod } from "../api/index.ts";

/** How long pods of a priority, up to the next one, have for their end. */
export interface PriorityPeriod {
  priority: number;
  graceSeconds: number;
}

/**
 * @param settings of a KubeletConfiguration; the periods by priority, if there are any, are the ones that count
 * @returns by ascending priority; empty: nothing is done at a shutdown
 */
export function shutdownPeriods(settings: {
  totalMs: number;
  criticalMs: number;
  byPriority: readonly PriorityPeriod[];
}): PriorityPeriod[] {
  const { totalMs, criticalMs, byPriority } = settings;
  if (byPriority.length > 0) return [...byPriority].sort((a, b) => a.priority - b.priority);
  if (totalMs === 0 || criticalMs > totalMs) return [];
  return [
    { priority: 0, graceSeconds: Math.trunc((totalMs - criticalMs) / 1000) },
    { priority: CRITICAL_PRIORITY, graceSeconds: Math.trunc(criticalMs / 1000) },
  ];
}

/** How long all of it takes at most. */
export const totalSeconds = (periods: readonly PriorityPeriod[]): number =>
  periods.reduce((sum, { graceSeconds }) => sum + graceSeconds, 0);

export interface ShutdownGroup {
  /** The next group waits for this one no longer. */
  waitSeconds: number;
  pods: { pod: Pod; graceSeconds: number }[];
}

/** Who ends together, in order. A pod has the period of the highest priority that it reaches, the lowest at least. */
export function groupByPriority(periods: readonly PriorityPeriod[], pods: readonly Pod[]): ShutdownGroup[] {
  const groups = periods.map(({ graceSeconds }) => ({ waitSeconds: graceSeconds, pods: [] as ShutdownGroup["pods"] }));
  for (const pod of pods) {
    const priority = pod.spec.priority ?? 0;
    const index = Math.max(
      0,
      periods.findLastIndex((period) => period.priority <= priority),
    );
    const group = groups[index];
    if (!group) continue;
    const own = pod.spec.terminationGracePeriodSeconds ?? group.waitSeconds;
    group.pods.push({ pod, graceSeconds: Math.min(own, group.waitSeconds) });
  }
  return groups.filter((group) => group.pods.length > 0);
}
