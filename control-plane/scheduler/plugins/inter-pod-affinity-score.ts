import { type AffinityTerm, type Labelled, termMatches } from "../framework/affinity-term.ts";
import type { NodeInfo, PodGroup, PodInfo } from "../framework/node-info.ts";
import { type Cluster, MAX_NODE_SCORE, type ScorePlugin } from "../framework/plugin.ts";

/** What a required affinity of a pod that is there weighs for the pod that comes (upstream hardPodAffinityWeight). */
const HARD_POD_AFFINITY_WEIGHT = 1;

/**
 * Preferred affinity and anti-affinity, of the pod towards those that are there and of those towards the pod. A node has
 * the sum over its topology domains.
 */
export const interPodAffinityScore: ScorePlugin = {
  name: "InterPodAffinity",
  weight: 2,
  prepare: (pod, _feasible, cluster) => {
    const weights = weighDomains(pod, cluster);
    if (weights.size === 0) return undefined;
    return {
      score: ({ labels }) => {
        let sum = 0;
        for (const [topologyKey, byValue] of weights) sum += byValue.get(labels[topologyKey] ?? "") ?? 0;
        return sum;
      },
      normalize: scaleToRange,
    };
  },
};

type Weights = Map<string, Map<string, number>>;

function weighDomains(pod: PodInfo, cluster: Cluster): Weights {
  const weights: Weights = new Map();
  const weigh = (terms: readonly AffinityTerm[], target: Labelled, { labels }: NodeInfo, factor: number) => {
    for (const { topologyKey, weight, ...term } of terms) {
      const value = labels[topologyKey];
      if (value === undefined) continue;
      if (!termMatches({ topologyKey, weight, ...term }, target, cluster.namespaceLabels)) continue;
      const byValue = weights.get(topologyKey) ?? new Map<string, number>();
      weights.set(topologyKey, byValue.set(value, (byValue.get(value) ?? 0) + weight * factor));
    }
  };
  const own = (group: PodGroup, node: NodeInfo) => {
    weigh(pod.affinity.preferred, group, node, group.count);
    weigh(pod.antiAffinity.preferred, group, node, -group.count);
  };
  const theirs = (other: PodInfo, node: NodeInfo) => {
    weigh(other.affinity.required, pod, node, HARD_POD_AFFINITY_WEIGHT);
    weigh(other.affinity.preferred, pod, node, 1);
    weigh(other.antiAffinity.preferred, pod, node, -1);
  };
  const hasPreferences = pod.affinity.preferred.length + pod.antiAffinity.preferred.length > 0;
  for (const node of cluster.nodes) {
    if (hasPreferences) for (const group of node.groups) own(group, node);
    for (const other of node.podsWithAffinity) theirs(other, node);
  }
  return weights;
}

/** Scores may be negative: the least becomes 0 and the greatest 100. */
function scaleToRange(scores: number[]): void {
  const min = Math.min(...scores);
  const range = Math.max(...scores) - min;
  scores.forEach((score, i) => {
    scores[i] = range > 0 ? Math.trunc(MAX_NODE_SCORE * ((score - min) / range)) : 0;
  });
}
