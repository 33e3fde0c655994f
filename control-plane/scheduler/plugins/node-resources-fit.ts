import type { NodeInfo, PodInfo } from "../framework/node-info.ts";
import { type FilterPlugin, MAX_NODE_SCORE, type ScorePlugin } from "../framework/plugin.ts";

/** The pod's requests must fit into what the node has left of its allocatable. */
export const nodeResourcesFit: FilterPlugin = {
  name: "NodeResourcesFit",
  filter: (pod, node) => {
    const short = shortages(pod, node);
    if (short.length === 0) return undefined;
    return { unresolvable: short.some((s) => s.neverFits), reasons: short.map((s) => s.reason) };
  },
};

interface Shortage {
  reason: string;
  /** More than the empty node has. */
  neverFits: boolean;
}

function shortages({ amounts: { requests } }: PodInfo, { allocatable, requested, podCount }: NodeInfo): Shortage[] {
  const short: Shortage[] = [];
  if (podCount + 1 > allocatable.pods) short.push({ reason: "Too many pods", neverFits: false });
  const check = (name: string, wanted: number, used: number, capacity: number) => {
    if (wanted > 0 && wanted > capacity - used) {
      short.push({ reason: `Insufficient ${name}`, neverFits: wanted > capacity });
    }
  };
  check("cpu", requests.cpuMilli, requested.cpuMilli, allocatable.cpuMilli);
  check("memory", requests.memoryBytes, requested.memoryBytes, allocatable.memoryBytes);
  check(
    "ephemeral-storage",
    requests.ephemeralStorageBytes,
    requested.ephemeralStorageBytes,
    allocatable.ephemeralStorageBytes,
  );
  for (const [name, wanted] of Object.entries(requests.scalars)) {
    check(name, wanted, requested.scalars[name] ?? 0, allocatable.scalars[name] ?? 0);
  }
  return short;
}

/** LeastAllocated over cpu and memory: the more is left, the better. A pod without requests counts as small, not as nothing. */
export const leastAllocated: ScorePlugin = {
  name: "NodeResourcesFit",
  weight: 1,
  score: ({ amounts: { nonZeroRequests } }, { allocatable, nonZeroRequested }) => {
    const left = [
      leftOf(nonZeroRequested.cpuMilli + nonZeroRequests.cpuMilli, allocatable.cpuMilli),
      leftOf(nonZeroRequested.memoryBytes + nonZeroRequests.memoryBytes, allocatable.memoryBytes),
    ].filter((score): score is number => score !== undefined);
    return left.length === 0 ? 0 : Math.trunc(left.reduce<number>((a, b) => a + b, 0) / left.length);
  },
};

function leftOf(requested: number, capacity: number): number | undefined {
  if (capacity === 0) return undefined;
  return requested > capacity ? 0 : Math.trunc(((capacity - requested) * MAX_NODE_SCORE) / capacity);
}
