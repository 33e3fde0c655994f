import type { NodeInfo, PodInfo } from "../framework/node-info.ts";
import { type FilterPlugin, MAX_NODE_SCORE, type ScorePlugin } from "../framework/plugin.ts";

const nothingIgnored = () => false;

/**
 * The pod's requests must fit into what the node has left of its allocatable.
 * @param isIgnored extended resources that others look after
 */
export const fitFilter = (isIgnored: (resource: string) => boolean = nothingIgnored): FilterPlugin => ({
  name: "NodeResourcesFit",
  filter: (pod, node) => {
    const short = shortages(pod, node, isIgnored);
    if (short.length === 0) return undefined;
    return { unresolvable: short.some((s) => s.neverFits), reasons: short.map((s) => s.reason) };
  },
});

export const nodeResourcesFit = fitFilter();

interface Shortage {
  reason: string;
  /** More than the empty node has. */
  neverFits: boolean;
}

function shortages(
  { amounts: { requests } }: PodInfo,
  { allocatable, requested, podCount }: NodeInfo,
  isIgnored: (resource: string) => boolean,
): Shortage[] {
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
  for (const name in requests.scalars) {
    if (isIgnored(name)) continue;
    check(name, requests.scalars[name]!, requested.scalars[name] ?? 0, allocatable.scalars[name] ?? 0);
  }
  return short;
}

/** LeastAllocated over cpu and memory: the more is left, the better. A pod without requests counts as small, not as nothing. */
export const leastAllocated: ScorePlugin = {
  name: "NodeResourcesFit",
  weight: 1,
  score: ({ amounts: { nonZeroRequests } }, { allocatable, nonZeroRequested }) => {
    const cpu = leftOf(nonZeroRequested.cpuMilli + nonZeroRequests.cpuMilli, allocatable.cpuMilli);
    const memory = leftOf(nonZeroRequested.memoryBytes + nonZeroRequests.memoryBytes, allocatable.memoryBytes);
    if (cpu === undefined || memory === undefined) return cpu ?? memory ?? 0;
    return Math.trunc((cpu + memory) / 2);
  },
};

function leftOf(requested: number, capacity: number): number | undefined {
  if (capacity === 0) return undefined;
  return requested > capacity ? 0 : Math.trunc(((capacity - requested) * MAX_NODE_SCORE) / capacity);
}
