import type { Amounts } from "../framework/amounts.ts";
import { MAX_NODE_SCORE, type ScorePlugin } from "../framework/plugin.ts";
import { amountOf } from "./resource-scoring.ts";

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

/** As `balancedAllocation`, over other resources than cpu and memory. */
export function balancedAllocationOver(resources: readonly string[]): ScorePlugin {
  return {
    ...balancedAllocation,
    score: ({ amounts: { requests } }, { allocatable, requested }) => {
      const present = resources.filter((name) => {
        const isBasic = name === "cpu" || name === "memory" || name === "ephemeral-storage";
        return amountOf(name, allocatable) > 0 && (isBasic || amountOf(name, requests) > 0);
      });
      if (resources.every((name) => amountOf(name, requests) === 0)) return 0;
      const balanceWith = (added: (name: string) => number) =>
        evenness(
          present.map((name) => Math.min(1, (amountOf(name, requested) + added(name)) / amountOf(name, allocatable))),
        );
      const before = balanceWith(() => 0);
      const after = balanceWith((name) => amountOf(name, requests));
      return MAX_NODE_SCORE / 2 + Math.trunc((MAX_NODE_SCORE / 2 + after - before) / 2);
    },
  };
}

/** 100 when all shares are equal, less by their standard deviation. */
function evenness(shares: number[]): number {
  if (shares.length < 2) return MAX_NODE_SCORE;
  const mean = shares.reduce((a, b) => a + b, 0) / shares.length;
  const variance = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / shares.length;
  return Math.trunc((1 - Math.sqrt(variance)) * MAX_NODE_SCORE);
}
