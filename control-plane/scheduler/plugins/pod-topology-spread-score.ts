import type { NodeInfo, PodInfo } from "../framework/node-info.ts";
import { MAX_NODE_SCORE, type ScorePlugin } from "../framework/plugin.ts";
import {
  constraintsFor,
  countSelected,
  HOSTNAME,
  hasAllKeys,
  isIncluded,
  type SpreadConstraint,
  type SpreadDefaults,
  SYSTEM_DEFAULTS,
} from "./spread-constraints.ts";

/**
 * ScheduleAnyway constraints, or the cluster's own for pods that have none: the fewer of the counted pods are in a
 * node's domains, the better. Counts of keys with many domains weigh more, for there they are small.
 */
export const spreadScore = (defaults: SpreadDefaults): ScorePlugin => ({
  name: "PodTopologySpread",
  weight: 2,
  prepare: (pod, feasible, cluster) => {
    const { constraints, needsAllKeys } = constraintsFor(pod.pod, "ScheduleAnyway", { defaults, cluster });
    if (constraints.length === 0) return undefined;
    // The defaults spread over hosts also where there are no zones; a pod's own constraints all have to apply.
    const applies = (node: NodeInfo) => !needsAllKeys || hasAllKeys(node, constraints);
    const ignored = new Set(feasible.filter((node) => !applies(node)));
    const scored = feasible.filter((node) => !ignored.has(node));
    const counted = needsAllKeys ? cluster.nodes.filter(applies) : cluster.nodes;
    const parts = constraints.map((constraint) => {
      const counts = domainCounts({ constraint, pod, scored, nodes: counted });
      const domains = constraint.topologyKey === HOSTNAME ? scored.length : counts.size;
      return { constraint, counts, weight: Math.log(domains + 2) };
    });
    return {
      score: (node) => {
        if (ignored.has(node)) return 0;
        let sum = 0;
        for (const { constraint, counts, weight } of parts) {
          const value = node.labels[constraint.topologyKey];
          if (value === undefined) continue;
          const isHost = constraint.topologyKey === HOSTNAME;
          const count = isHost ? countSelected(constraint, node, pod.namespace) : (counts.get(value) ?? 0);
          sum += count * weight + constraint.maxSkew - 1;
        }
        return Math.round(sum);
      },
      normalize: (scores) => invert(scores, (i) => ignored.has(feasible[i]!)),
    };
  },
});

export const podTopologySpreadScore = spreadScore(SYSTEM_DEFAULTS);

/** How many pods each domain of a scored node has. Hosts are not counted here: the node in hand tells. */
function domainCounts(given: {
  constraint: SpreadConstraint;
  pod: PodInfo;
  scored: readonly NodeInfo[];
  nodes: readonly NodeInfo[];
}): Map<string, number> {
  const { constraint, pod, scored, nodes } = given;
  const counts = new Map<string, number>();
  if (constraint.topologyKey === HOSTNAME) return counts;
  const domainOf = ({ labels }: NodeInfo) => labels[constraint.topologyKey] ?? "";
  for (const node of scored) counts.set(domainOf(node), 0);
  for (const node of nodes) {
    const before = counts.get(domainOf(node));
    if (before === undefined || !isIncluded(constraint, pod.pod, node)) continue;
    counts.set(domainOf(node), before + countSelected(constraint, node, pod.namespace));
  }
  return counts;
}

/** Few pods give a high score: the greatest sum has what the least leaves of 100. */
function invert(scores: number[], isIgnored: (index: number) => boolean): void {
  const real = scores.filter((_score, i) => !isIgnored(i));
  const min = Math.min(...real);
  const max = Math.max(0, ...real);
  scores.forEach((score, i) => {
    if (isIgnored(i)) scores[i] = 0;
    else scores[i] = max === 0 ? MAX_NODE_SCORE : Math.trunc((MAX_NODE_SCORE * (max + min - score)) / max);
  });
}
