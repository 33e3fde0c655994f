import type { PodInfo } from "../framework/node-info.ts";

/**
 * Higher priority first, then those that run for longer. Those that were not started yet are the youngest, and among
 * them the last one counts most: upstream takes the time of each comparison for their start.
 * @param pods in the order in which they came to the node
 */
export function inOrderOfImportance(pods: PodInfo[]): PodInfo[] {
  const unstarted = pods.filter((info) => startOf(info) === "").reverse();
  const started = pods.filter((info) => startOf(info) !== "");
  return [...started, ...unstarted].sort(byPriorityAndAge);
}

const startOf = ({ pod }: PodInfo): string => pod.status?.startTime ?? "";

function byPriorityAndAge(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  const [startA, startB] = [startOf(a), startOf(b)];
  if (startA === startB) return 0;
  if (!startA || !startB) return startA ? -1 : 1;
  return startA < startB ? -1 : 1;
}
