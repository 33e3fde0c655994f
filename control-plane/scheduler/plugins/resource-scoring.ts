import type { Amounts } from "../framework/amounts.ts";
import type { NodeInfo, PodInfo } from "../framework/node-info.ts";
import { MAX_NODE_SCORE, type ScorePlugin } from "../framework/plugin.ts";

/** A resource and what it weighs among others. */
export interface WeighedResource {
  name: string;
  weight: number;
}

/** How NodeResourcesFit scores (NodeResourcesFitArgs.scoringStrategy). */
export type ScoringStrategy = { resources: readonly WeighedResource[] } & (
  | { type: "LeastAllocated" | "MostAllocated" }
  | {
      type: "RequestedToCapacityRatio";
      /** Scores of 0 to 10 by percent in use, rising; between two points on the straight line. */
      shape: readonly { utilization: number; score: number }[];
    }
);

const MAX_SHAPE_SCORE = 10;
const FULL = 100;

/** NodeResourcesFit's score by a configured strategy. Pods without requests for cpu or memory count as small, not as nothing. */
export function scoreByStrategy(strategy: ScoringStrategy): ScorePlugin {
  const scoreOf = SCORERS[strategy.type](strategy);
  const isRatio = strategy.type === "RequestedToCapacityRatio";
  return {
    name: "NodeResourcesFit",
    weight: 1,
    score: (pod, node) => {
      let sum = 0;
      let weights = 0;
      for (const { name, weight } of strategy.resources) {
        const use = useOf(name, pod, node);
        if (!use) continue;
        const score = scoreOf(use.requested, use.capacity);
        // Of the ratio, resources that score nothing have no say either.
        if (isRatio && score <= 0) continue;
        sum += score * weight;
        weights += weight;
      }
      if (weights === 0) return 0;
      return isRatio ? Math.round(sum / weights) : Math.trunc(sum / weights);
    },
  };
}

type Scorer = (requested: number, capacity: number) => number;

const SCORERS: Record<ScoringStrategy["type"], (strategy: ScoringStrategy) => Scorer> = {
  LeastAllocated: () => (requested, capacity) =>
    requested > capacity ? 0 : Math.trunc(((capacity - requested) * MAX_NODE_SCORE) / capacity),
  MostAllocated: () => (requested, capacity) => Math.trunc((Math.min(requested, capacity) * MAX_NODE_SCORE) / capacity),
  RequestedToCapacityRatio: (strategy) => {
    const shape = "shape" in strategy ? strategy.shape : [];
    return (requested, capacity) =>
      onShape(shape, requested > capacity ? FULL : Math.trunc((requested * FULL) / capacity));
  },
};

function onShape(shape: readonly { utilization: number; score: number }[], utilization: number): number {
  const scale = MAX_NODE_SCORE / MAX_SHAPE_SCORE;
  const next = shape.findIndex((point) => utilization <= point.utilization);
  if (next < 0) return shape.at(-1)!.score * scale;
  const to = shape[next]!;
  if (next === 0) return to.score * scale;
  const from = shape[next - 1]!;
  const rise = (to.score - from.score) * scale * (utilization - from.utilization);
  return from.score * scale + Math.trunc(rise / (to.utilization - from.utilization));
}

/** What of a resource would be in use; undefined where the node has none, or the pod asks for none of what is extra. */
function useOf(
  name: string,
  { amounts }: PodInfo,
  node: NodeInfo,
): { requested: number; capacity: number } | undefined {
  const isBasic = name === "cpu" || name === "memory";
  const wanted = amountOf(name, isBasic ? amounts.nonZeroRequests : amounts.requests);
  const capacity = amountOf(name, node.allocatable);
  if (capacity === 0 || (wanted === 0 && !isBasic && name !== "ephemeral-storage")) return undefined;
  const used = amountOf(name, isBasic ? node.nonZeroRequested : node.requested);
  return { requested: used + wanted, capacity };
}

/** The amount of a resource, by its name in the API. */
export function amountOf(name: string, amounts: Amounts): number {
  if (name === "cpu") return amounts.cpuMilli;
  if (name === "memory") return amounts.memoryBytes;
  return name === "ephemeral-storage" ? amounts.ephemeralStorageBytes : (amounts.scalars[name] ?? 0);
}
