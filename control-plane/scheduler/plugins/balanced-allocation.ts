import type { Amounts } from "../framework/amounts.ts";
import { MAX_NODE_SCORE, type ScorePlugin } from "../framework/plugin.ts";

/**
 * Prefers nodes where the pod brings the shares of cpu and memory closer together. Half the scale is the balance kept;
 * a pod that requests neither has no say.
 */
export const balancedAllocation: ScorePlugin = {
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  score: ({ amounts: { requests } }, { allocatable, requested }) => {
    if (requests.cpuMilli === 0 && requests.memoryBytes === 0) return 0;
    const before = balance(requested.cpuMilli, requested.memoryBytes, allocatable);
    const after = balance(
      requested.cpuMilli + requests.cpuMilli,
      requested.memoryBytes + requests.memoryBytes,
      allocatable,
    );
    return MAX_NODE_SCORE / 2 + Math.trunc((MAX_NODE_SCORE / 2 + after - before) / 2);
  },
};

/** 100 when both shares are equal, less by their standard deviation: of two numbers that is half of their distance. */
function balance(cpuMilli: number, memoryBytes: number, allocatable: Amounts): number {
  if (allocatable.cpuMilli <= 0 || allocatable.memoryBytes <= 0) return MAX_NODE_SCORE;
  const cpu = Math.min(1, cpuMilli / allocatable.cpuMilli);
  const memory = Math.min(1, memoryBytes / allocatable.memoryBytes);
  return Math.trunc((1 - Math.abs(cpu - memory) / 2) * MAX_NODE_SCORE);
}
