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
    const before = balance([
      [requested.cpuMilli, allocatable.cpuMilli],
      [requested.memoryBytes, allocatable.memoryBytes],
    ]);
    const after = balance([
      [requested.cpuMilli + requests.cpuMilli, allocatable.cpuMilli],
      [requested.memoryBytes + requests.memoryBytes, allocatable.memoryBytes],
    ]);
    return MAX_NODE_SCORE / 2 + Math.trunc((MAX_NODE_SCORE / 2 + after - before) / 2);
  },
};

/** 100 when all shares are equal, less by the standard deviation of the shares. */
function balance(pairs: [requested: number, allocatable: number][]): number {
  const shares = pairs
    .filter(([, allocatable]) => allocatable > 0)
    .map(([requested, allocatable]) => Math.min(1, requested / allocatable));
  if (shares.length < 2) return MAX_NODE_SCORE;
  const mean = shares.reduce((a, b) => a + b, 0) / shares.length;
  const variance = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / shares.length;
  return Math.trunc((1 - Math.sqrt(variance)) * MAX_NODE_SCORE);
}
