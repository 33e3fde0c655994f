import type { PodInfo } from "../framework/node-info.ts";

/** Higher priority first, then those that run for longer. One that was not started yet is the youngest. */
export function byImportance(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  const [startA, startB] = [a, b].map(({ pod }) => pod.status?.startTime ?? "");
  if (startA === startB) return 0;
  if (!startA || !startB) return startA ? -1 : 1;
  return startA < startB ? -1 : 1;
}
