import { renderFitError, renderPreemption } from "./fit-error.ts";
import type { NodeInfo, PodInfo } from "./node-info.ts";
import type { ClusterFacts, FilterPlugin, ScorePlugin, Verdict } from "./plugin.ts";

const MIN_FEASIBLE_NODES = 100;
const MIN_FEASIBLE_PERCENT = 5;

/** After how many feasible nodes filtering stops (SCH-05): 50 % less a 125th of the nodes, at least 5 % and 100. */
export function numFeasibleNodesToFind(nodeCount: number): number {
  if (nodeCount < MIN_FEASIBLE_NODES) return nodeCount;
  const percent = Math.max(MIN_FEASIBLE_PERCENT, 50 - Math.trunc(nodeCount / 125));
  return Math.max(MIN_FEASIBLE_NODES, Math.trunc((nodeCount * percent) / 100));
}

export type Decision =
  | { fits: true; node: NodeInfo; visited: number; feasible: number }
  | { fits: false; message: string; visited: number };

export interface CycleOptions {
  filters: readonly FilterPlugin[];
  scores: readonly ScorePlugin[];
  /** Where in the ring of nodes to begin: the caller goes on after the nodes visited, so that all get their turn. */
  start: number;
  /** In [0, 1): breaks ties. */
  random(): number;
}

/** The node for a pod, or why there is none. Same input and random numbers, same decision. */
export function decideNode(pod: PodInfo, nodes: readonly NodeInfo[], options: CycleOptions): Decision {
  const { feasible, verdicts, visited } = findFeasible(pod, nodes, options);
  if (feasible.length === 0) {
    const preemption =
      nodes.length === 0 ? "" : renderPreemption(nodes.length, verdicts, pod.pod.spec?.preemptionPolicy);
    return { fits: false, message: renderFitError(nodes.length, verdicts, preemption), visited };
  }
  const node = feasible.length === 1 ? feasible[0]! : pickHighest(totalScores(pod, feasible, nodes, options), options);
  return { fits: true, node, visited, feasible: feasible.length };
}

function findFeasible(pod: PodInfo, nodes: readonly NodeInfo[], { filters, start }: CycleOptions) {
  const enough = numFeasibleNodesToFind(nodes.length);
  const feasible: NodeInfo[] = [];
  const verdicts: Verdict[] = [];
  let visited = 0;
  while (visited < nodes.length && feasible.length < enough) {
    const node = nodes[(start + visited) % nodes.length]!;
    visited++;
    const verdict = firstNo(pod, node, filters);
    if (verdict) verdicts.push(verdict);
    else feasible.push(node);
  }
  return { feasible, verdicts, visited };
}

function firstNo(pod: PodInfo, node: NodeInfo, filters: readonly FilterPlugin[]): Verdict | undefined {
  for (const plugin of filters) {
    const verdict = plugin.filter(pod, node);
    if (verdict) return verdict;
  }
  return undefined;
}

function totalScores(
  pod: PodInfo,
  feasible: NodeInfo[],
  all: readonly NodeInfo[],
  { scores }: CycleOptions,
): { node: NodeInfo; score: number }[] {
  const totals = feasible.map((node) => ({ node, score: 0 }));
  const cluster = factsOf(all);
  for (const plugin of scores) {
    const given = feasible.map((node) => plugin.score(pod, node, cluster));
    plugin.normalize?.(given);
    totals.forEach((total, i) => {
      total.score += plugin.weight * given[i]!;
    });
  }
  return totals;
}

function factsOf(nodes: readonly NodeInfo[]): ClusterFacts {
  const counts = new Map<string, number>();
  return {
    nodeCount: nodes.length,
    nodesWithImage: (image) => {
      let count = counts.get(image);
      if (count === undefined) {
        count = nodes.filter((node) => node.imageBytes.has(image)).length;
        counts.set(image, count);
      }
      return count;
    },
  };
}

function pickHighest(totals: { node: NodeInfo; score: number }[], { random }: CycleOptions): NodeInfo {
  const best = Math.max(...totals.map((total) => total.score));
  const winners = totals.filter((total) => total.score === best);
  return winners[Math.floor(random() * winners.length)]!.node;
}
