import { type AffinityTerm, type Labelled, termMatches } from "../framework/affinity-term.ts";
import type { AffinityGroup, NodeInfo, PodGroup, PodInfo } from "../framework/node-info.ts";
import { once } from "../framework/once-a-key.ts";
import { type Cluster, MAX_NODE_SCORE, type ScorePlugin } from "../framework/plugin.ts";

/** InterPodAffinityArgs. */
export interface AffinityArgs {
  /** What a required affinity of a pod that is there weighs for the pod that comes. */
  hardPodAffinityWeight: number;
  /** Pods without affinity of their own are not drawn or driven by what others prefer. */
  ignorePreferredTermsOfExistingPods: boolean;
}

/**
 * Preferred affinity and anti-affinity, of the pod towards those that are there and of those towards the pod. A node has
 * the sum over its topology domains.
 */
export const affinityScore = (args: AffinityArgs): ScorePlugin => ({
  name: "InterPodAffinity",
  weight: 2,
  prepare: (pod, _feasible, cluster) => {
    const weights = weighDomains(pod, cluster, args);
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
});

export const interPodAffinityScore = affinityScore({
  hardPodAffinityWeight: 1,
  ignorePreferredTermsOfExistingPods: false,
});

type Weights = Map<string, Map<string, number>>;

/** What one pod of a group adds to the domain of its node. */
type Weighed = { topologyKey: string; weight: number };

function weighDomains(pod: PodInfo, cluster: Cluster, args: AffinityArgs): Weights {
  const weights: Weights = new Map();
  const prefers = pod.affinity.preferred.length + pod.antiAffinity.preferred.length > 0;
  if (args.ignorePreferredTermsOfExistingPods && !prefers) return weights;
  const add = (weighed: readonly Weighed[], count: number, { labels }: NodeInfo) => {
    for (const { topologyKey, weight } of weighed) {
      const value = labels[topologyKey];
      if (value === undefined) continue;
      const byValue = weights.get(topologyKey) ?? new Map<string, number>();
      weights.set(topologyKey, byValue.set(value, (byValue.get(value) ?? 0) + weight * count));
    }
  };
  const matching = (terms: readonly AffinityTerm[], target: Labelled, factor: number): Weighed[] =>
    terms
      .filter((term) => termMatches(term, target, cluster.namespaceLabels))
      .map(({ topologyKey, weight }) => ({ topologyKey, weight: weight * factor }));
  const own = once((group: PodGroup) => [
    ...matching(pod.affinity.preferred, group, 1),
    ...matching(pod.antiAffinity.preferred, group, -1),
  ]);
  const theirs = once(({ affinity, antiAffinity }: AffinityGroup) => [
    ...matching(affinity.required, pod, args.hardPodAffinityWeight),
    ...matching(affinity.preferred, pod, 1),
    ...matching(antiAffinity.preferred, pod, -1),
  ]);
  if (prefers) for (const node of cluster.nodes) for (const group of node.groups) add(own(group), group.count, node);
  for (const node of cluster.nodesWithAffinity)
    for (const group of node.affinityGroups) add(theirs(group), group.count, node);
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
