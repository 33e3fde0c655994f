import type { PodDisruptionBudget, ResourceClaim } from "../../../shared/api/types.ts";
import { decidePreemption, type Preemption, type Refusal } from "../preemption/index.ts";
import { renderFitError } from "./fit-error.ts";
import type { NodeInfo, PodInfo } from "./node-info.ts";
import {
  type Cluster,
  type FilterPlugin,
  type PreFilterResult,
  type ScorePlugin,
  unresolvable,
  type Verdict,
} from "./plugin.ts";
import { PodFilters } from "./pod-filters.ts";

const MIN_FEASIBLE_NODES = 100;
const MIN_FEASIBLE_PERCENT = 5;

/**
 * After how many feasible nodes filtering stops (SCH-05): 50 % less a 125th of the nodes, at least 5 % and 100.
 * @param percentage of all nodes instead, if not 0
 */
export function numFeasibleNodesToFind(nodeCount: number, percentage = 0): number {
  if (nodeCount < MIN_FEASIBLE_NODES || percentage >= 100) return nodeCount;
  const percent = percentage || Math.max(MIN_FEASIBLE_PERCENT, 50 - Math.trunc(nodeCount / 125));
  return Math.max(MIN_FEASIBLE_NODES, Math.trunc((nodeCount * percent) / 100));
}

export type Decision =
  | { fits: true; node: NodeInfo; visited: number; feasible: number }
  | {
      fits: false;
      message: string;
      visited: number;
      preemption: Preemption;
      rejectedBy: ReadonlySet<string>;
      /** Whose devices are to be set free. */
      deallocate?: ResourceClaim;
    };

export interface CycleOptions {
  filters: readonly FilterPlugin[];
  scores: readonly ScorePlugin[];
  /** Of the nodes, as configured; by default there is a rule. */
  percentageOfNodesToScore?: number;
  /** Whether pods may be evicted for it; so by default. */
  preempts?: boolean;
  cluster: Cluster;
  /** Pods that wait for victims of theirs to leave a node. */
  nominatedTo(node: string): readonly PodInfo[];
  budgets(): readonly PodDisruptionBudget[];
  /** Where in the ring of nodes to begin: the caller goes on after the nodes visited, so that all get their turn. */
  start: number;
  nowMs: number;
  /** In [0, 1): breaks ties. */
  random(): number;
}

/**
 * The node for a pod, or why there is none and whom to evict for it. Same input and random numbers, same decision.
 * @throws PluginFailure
 */
export function decideNode(pod: PodInfo, options: CycleOptions): Decision {
  const { cluster, filters: plugins } = options;
  const { nodes } = cluster;
  const allowed = preFilter(pod, cluster, plugins);
  if ("never" in allowed && endsCycle(allowed.plugin, plugins)) return rejected(nodes.length, allowed);
  const filters = new PodFilters(pod, cluster, plugins);
  if ("never" in allowed) {
    const why = { refusals: [], visited: 0, filters, why: allowed.never, rejectedBy: [allowed.plugin] };
    return failed(pod, why, options);
  }
  const asked = allowed.onlyNodes ? nodes.filter(({ name }) => allowed.onlyNodes!.has(name)) : nodes;
  const { feasible, refusals, visited } =
    nominatedNode(pod, asked, filters, options) ?? findFeasible(asked, filters, options);
  if (feasible.length === 0) {
    const absent = unresolvable(`node(s) didn't satisfy plugin(s) [${allowed.plugins.join(" ")}]`);
    const why = [...refusals.map(({ verdict }) => verdict), ...Array(nodes.length - asked.length).fill(absent)];
    const rejectedBy = [...allowed.plugins, ...refusals.map(({ plugin }) => plugin)];
    return failed(pod, { why, refusals, visited, filters, rejectedBy }, options);
  }
  const node = feasible.length === 1 ? feasible[0]! : pickHighest(totalScores(pod, feasible, options), options);
  return { fits: true, node, visited, feasible: feasible.length };
}

/** All that plugins say before nodes are asked; of several sets of nodes only the common ones stay. */
function preFilter(
  pod: PodInfo,
  cluster: Cluster,
  filters: readonly FilterPlugin[],
): { never: string; plugin: string } | { onlyNodes?: ReadonlySet<string>; plugins: string[] } {
  let onlyNodes: ReadonlySet<string> | undefined;
  const plugins: string[] = [];
  for (const plugin of filters) {
    const result: PreFilterResult | undefined = plugin.preFilter?.(pod, cluster);
    if (!result) continue;
    if ("never" in result) return { ...result, plugin: plugin.name };
    plugins.push(plugin.name);
    const common = onlyNodes;
    onlyNodes = common ? new Set([...result.onlyNodes].filter((name) => common.has(name))) : result.onlyNodes;
  }
  return { onlyNodes, plugins: plugins.sort() };
}

/** The node for which victims were evicted goes first, if it takes the pod by now. */
function nominatedNode(pod: PodInfo, nodes: readonly NodeInfo[], filters: PodFilters, options: CycleOptions) {
  const node = pod.nominatedNode ? nodes.find(({ name }) => name === pod.nominatedNode) : undefined;
  if (!node || filters.refusal(node, options.nominatedTo(node.name))) return undefined;
  return { feasible: [node], refusals: [] as Refusal[], visited: 0 };
}

function findFeasible(nodes: readonly NodeInfo[], filters: PodFilters, options: CycleOptions) {
  const { start, nominatedTo, percentageOfNodesToScore } = options;
  const enough = numFeasibleNodesToFind(nodes.length, percentageOfNodesToScore);
  const feasible: NodeInfo[] = [];
  const refusals: Refusal[] = [];
  let visited = 0;
  while (visited < nodes.length && feasible.length < enough) {
    const node = nodes[(start + visited) % nodes.length]!;
    visited++;
    const refusal = filters.refusal(node, nominatedTo(node.name));
    if (refusal) refusals.push({ node, ...refusal });
    else feasible.push(node);
  }
  return { feasible, refusals, visited };
}

interface Failure {
  /** The verdicts of nodes, or what keeps the pod from all of them. */
  why: Verdict[] | string;
  refusals: Refusal[];
  visited: number;
  /** Names of plugins. */
  rejectedBy: string[];
  filters: PodFilters;
}

/** What a plugin says that sets something free, when it was never asked for the pod: upstream's does not find its notes. */
const NOT_ASKED = "not found";

/** Whether a "never" comes before the plugin that sets something free was asked. Nothing is set free then, or preempted. */
function endsCycle(plugin: string, plugins: readonly FilterPlugin[]): boolean {
  const rejecting = plugins.findIndex(({ name }) => name === plugin);
  return rejecting < plugins.findIndex(({ postFilter }) => postFilter !== undefined);
}

const NO_PREEMPTION: Preemption = { message: "", givesUpNomination: false };

const rejected = (nodeCount: number, { never, plugin }: { never: string; plugin: string }): Decision => ({
  fits: false,
  message: renderFitError(nodeCount, never, NOT_ASKED),
  visited: 0,
  preemption: NO_PREEMPTION,
  rejectedBy: new Set([plugin]),
});

function failed(
  pod: PodInfo,
  { why, refusals, visited, filters, rejectedBy }: Failure,
  options: CycleOptions,
): Decision {
  const { cluster } = options;
  const release = options.filters.flatMap((plugin) => plugin.postFilter?.(pod, cluster, refusals) ?? [])[0];
  const { preempts = true } = options;
  const preemption = preempts ? decidePreemption(pod, { ...options, refusals, filters }) : NO_PREEMPTION;
  const said = [release?.message, preempts ? `preemption: ${preemption.message}` : undefined];
  // Where victims were found, nothing is said of what was tried.
  const tried = preemption.chosen || (preempts && preemption.message === "") ? [] : said;
  return {
    fits: false,
    message: renderFitError(cluster.nodes.length, why, tried.filter((text) => text !== undefined).join(", ")),
    visited,
    preemption,
    rejectedBy: new Set(rejectedBy),
    deallocate: release?.deallocate,
  };
}

function totalScores(
  pod: PodInfo,
  feasible: readonly NodeInfo[],
  { scores, cluster }: CycleOptions,
): { node: NodeInfo; score: number }[] {
  const totals = feasible.map((node) => ({ node, score: 0 }));
  for (const plugin of scores) {
    const prepared =
      "score" in plugin
        ? { score: (node: NodeInfo) => plugin.score(pod, node), normalize: plugin.normalize }
        : plugin.prepare(pod, feasible, cluster);
    if (!prepared) continue;
    const given = feasible.map((node) => prepared.score(node));
    prepared.normalize?.(given);
    totals.forEach((total, i) => {
      total.score += plugin.weight * given[i]!;
    });
  }
  return totals;
}

function pickHighest(totals: { node: NodeInfo; score: number }[], { random }: CycleOptions): NodeInfo {
  const best = totals.reduce((max, { score }) => Math.max(max, score), Number.NEGATIVE_INFINITY);
  const winners = totals.filter((total) => total.score === best);
  return winners[Math.floor(random() * winners.length)]!.node;
}
