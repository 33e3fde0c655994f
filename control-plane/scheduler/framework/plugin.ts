import type { NodeInfo, PodInfo } from "./node-info.ts";

/**
 * Why a node does not take a pod. `unresolvable`: not even removing other pods from it would help, so preemption does
 * not look at it (upstream's UnschedulableAndUnresolvable).
 */
export interface Verdict {
  unresolvable: boolean;
  /** Printed with their counts in the FailedScheduling event: users search for these texts. */
  reasons: string[];
}

/** One "no" of any filter takes the node out. Pure. */
export interface FilterPlugin {
  name: string;
  /** Undefined: the pod may go there. */
  filter(pod: PodInfo, node: NodeInfo): Verdict | undefined;
}

export const MAX_NODE_SCORE = 100;

/** Gives each feasible node 0 to 100; the scores are multiplied by `weight` and summed. Pure. */
export interface ScorePlugin {
  name: string;
  weight: number;
  score(pod: PodInfo, node: NodeInfo, cluster: ClusterFacts): number;
  /** Brings the raw scores of all feasible nodes to 0..100, in place. */
  normalize?(scores: number[]): void;
}

/** What a score needs to know of the nodes as a whole. */
export interface ClusterFacts {
  nodeCount: number;
  /** On how many nodes an image is, by normalised name. */
  nodesWithImage(image: string): number;
}

export const unresolvable = (reason: string): Verdict => ({ unresolvable: true, reasons: [reason] });
export const unschedulable = (reason: string): Verdict => ({ unresolvable: false, reasons: [reason] });

/** Scales to 0..100 by the greatest; `reverse` turns it about, so that a high raw score is bad. */
export function scaleToMax(scores: number[], reverse: boolean): void {
  const max = Math.max(0, ...scores);
  scores.forEach((score, i) => {
    if (max === 0) {
      scores[i] = reverse ? MAX_NODE_SCORE : 0;
      return;
    }
    const scaled = Math.trunc((MAX_NODE_SCORE * score) / max);
    scores[i] = reverse ? MAX_NODE_SCORE - scaled : scaled;
  });
}
