import { type CpuSet, union, without } from "./cpu-set.ts";
import type { Cpu } from "./topology.ts";

type Counts = ReadonlyMap<number, number>;

/**
 * Spreads CPUs evenly over as few NUMA nodes as can have as many each, where one does not do (KEP-2902). What does not
 * divide goes where it leaves the nodes most alike. If no nodes divide it, they are filled one after the other.
 * @param options.groupSize given out together: a core's threads
 * @param options.order of the nodes that have any: the earlier is taken of two that do as well
 * @param options.take chooses within a node
 */
export function takeSpread(
  topology: readonly Cpu[],
  available: CpuSet,
  {
    count,
    groupSize,
    order,
    take,
  }: { count: number; groupSize: number; order: readonly number[]; take: (from: CpuSet, count: number) => CpuSet },
): CpuSet {
  const onNode = (node: number) => new Set(topology.filter(({ numa }) => numa === node).map(({ cpu }) => cpu));
  const free = new Map(order.map((node) => [node, available.filter((cpu) => onNode(node).has(cpu))]));
  const counts = new Map([...free].map(([node, cpus]) => [node, cpus.length]));
  const nodes = new Set(topology.map(({ numa }) => numa)).size;
  const plan =
    count > 0 && count % groupSize === 0
      ? planSpread(counts, {
          count,
          groupSize,
          groupsPerNode: Math.ceil(Math.ceil(topology.length / groupSize) / nodes),
        })
      : undefined;
  if (!plan) return take(available, count);
  let taken: CpuSet = [];
  const takeOn = (node: number, many: number) => {
    taken = union(taken, take(without(free.get(node)!, taken), many));
  };
  for (const node of plan.nodes) takeOn(node, plan.each);
  for (const [node, groups] of plan.rest) for (let group = 0; group < groups; group++) takeOn(node, groupSize);
  return taken;
}

export interface SpreadPlan {
  nodes: readonly number[];
  /** CPUs of each of them. */
  each: number;
  /** Groups beyond that, by node. */
  rest: Counts;
}

/**
 * @param available free CPUs by node
 * @param options.groupsPerNode what a node of the empty machine has
 * @returns undefined when no nodes have as many each
 */
export function planSpread(
  available: Counts,
  { count, groupSize, groupsPerNode }: { count: number; groupSize: number; groupsPerNode: number },
): SpreadPlan | undefined {
  const groups = count / groupSize;
  const most = Math.min(groups, available.size);
  for (let size = Math.ceil(groups / groupsPerNode); size <= most; size++) {
    let best: { plan: SpreadPlan; imbalance: number } | undefined;
    for (const nodes of combinations([...available.keys()], size)) {
      const found = planOn(nodes, available, { count, groupSize });
      if (found && (!best || found.imbalance < best.imbalance)) best = found;
    }
    if (best) return best.plan;
  }
  return undefined;
}

function planOn(
  nodes: readonly number[],
  available: Counts,
  { count, groupSize }: { count: number; groupSize: number },
): { plan: SpreadPlan; imbalance: number } | undefined {
  const groupsOf = (node: number, counts: Counts) => Math.floor((counts.get(node) ?? 0) / groupSize);
  const all = nodes.reduce((sum, node) => sum + groupsOf(node, available), 0);
  if (all * groupSize < count) return undefined;
  const each = Math.floor(count / nodes.length / groupSize) * groupSize;
  if (nodes.some((node) => available.get(node)! < each)) return undefined;
  const after = new Map(available);
  for (const node of nodes) after.set(node, after.get(node)! - each);
  const left = (count - each * nodes.length) / groupSize;
  if (left === 0) return { plan: { nodes, each, rest: new Map() }, imbalance: deviation(after.values()) };

  const able = nodes.filter((node) => groupsOf(node, after) > 0);
  let best: { plan: SpreadPlan; imbalance: number } | undefined;
  // Over as many as possible first.
  for (let size = able.length; size > 0; size--) {
    for (const subset of combinations(able, size)) {
      if (subset.reduce((sum, node) => sum + groupsOf(node, after), 0) < left) continue;
      const rest = dealOut(subset, left, (node) => groupsOf(node, after));
      const then = [...after].map(([node, cpus]) => cpus - (rest.get(node) ?? 0) * groupSize);
      const imbalance = deviation(then);
      if (!best || imbalance < best.imbalance) best = { plan: { nodes, each, rest }, imbalance };
    }
  }
  return best;
}

/** One to each in turn, as long as it has any. */
function dealOut(nodes: readonly number[], count: number, has: (node: number) => number): Counts {
  const dealt = new Map<number, number>();
  for (let left = count; left > 0; ) {
    for (const node of nodes) {
      const own = dealt.get(node) ?? 0;
      if (left === 0 || own >= has(node)) continue;
      dealt.set(node, own + 1);
      left -= 1;
    }
  }
  return dealt;
}

/** Rounded to three digits, as upstream does: what differs less counts as equal. */
function deviation(values: Iterable<number>): number {
  const all = [...values];
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  const variance = all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length;
  return Math.round(Math.sqrt(variance) * 1000) / 1000;
}

function combinations(items: readonly number[], size: number): number[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) => combinations(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]));
}
