import { areEqual, type Hint, type Hints, isNarrower, type NumaNodes } from "./hint.ts";

export type TopologyPolicy = "none" | "best-effort" | "restricted" | "single-numa-node";

export interface NumaMachine {
  nodes: NumaNodes;
  /** The kernel's distance from node to node; only where the closest ones are wanted. */
  distances?: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

const ANYWHERE: Hint = { nodes: undefined, preferred: true };
const NOWHERE: Hint = { nodes: undefined, preferred: false };

/**
 * One hint out of those of all providers: a set of nodes on which each has what is asked of it, if there is one, else the
 * one that comes nearest.
 * @param providers undefined: does not care
 * @param machine with distances: of as many nodes those that lie close together
 * @returns whether the policy takes the pod with that
 */
export function mergeHints(
  providers: readonly (Hints | undefined)[],
  policy: Exclude<TopologyPolicy, "none">,
  machine: NumaMachine,
): { hint: Hint; admitted: boolean } {
  const isSingle = policy === "single-numa-node";
  const lists = providers.flatMap(listsOf).map((list) => (isSingle ? list.filter(isOnOneNode) : list));
  const isBetter = compareWith({
    wanted: Math.max(0, ...lists.map(fewestNodes)),
    distances: isSingle ? undefined : machine.distances,
  });
  let best: Merged | undefined;
  for (const merged of combine(lists, machine.nodes)) {
    if (merged.nodes.length > 0 && (!best || isBetter(merged, best))) best = merged;
  }
  const nodes = best?.nodes ?? machine.nodes;
  const preferred = best?.preferred ?? false;
  // All of the machine is no choice; upstream says so for this policy only.
  const hint = { nodes: isSingle && areEqual(nodes, machine.nodes) ? undefined : nodes, preferred };
  return { hint, admitted: policy === "best-effort" || preferred };
}

function listsOf(hints: Hints | undefined): (readonly Hint[])[] {
  const lists = Object.values(hints ?? {});
  if (lists.length === 0) return [[ANYWHERE]];
  return lists.map((list) => (list.length === 0 ? [NOWHERE] : list));
}

const isOnOneNode = ({ nodes, preferred }: Hint) => preferred && (nodes === undefined || nodes.length === 1);

function fewestNodes(list: readonly Hint[]): number {
  const sizes = list.flatMap(({ nodes }) => (nodes ? [nodes.length] : []));
  return sizes.length === 0 ? 0 : Math.min(...sizes);
}

interface Merged {
  nodes: NumaNodes;
  preferred: boolean;
  /** Whether one of them named nodes: from then on all have to name the same to be preferred. */
  isBound: boolean;
}

/**
 * What comes of one hint from each list, all ways; alike ones are taken together at each step, since there are as many
 * ways as the product of the lists' lengths.
 */
function combine(lists: readonly (readonly Hint[])[], all: NumaNodes): Merged[] {
  let merged: Merged[] = [{ nodes: all, preferred: true, isBound: false }];
  for (const list of lists) {
    const next = new Map<string, Merged>();
    for (const before of merged) {
      for (const hint of list) {
        const each = join(before, hint);
        next.set(`${each.nodes.join()} ${each.preferred} ${each.isBound}`, each);
      }
    }
    merged = [...next.values()];
  }
  return merged;
}

function join(before: Merged, { nodes, preferred }: Hint): Merged {
  if (!nodes) return { ...before, preferred: before.preferred && preferred };
  return {
    nodes: before.nodes.filter((node) => nodes.includes(node)),
    // As long as all are preferred what they have in common is what each of them named.
    preferred: before.preferred && preferred && (!before.isBound || areEqual(before.nodes, nodes)),
    isBound: true,
  };
}

/**
 * Preferred ones first, the narrower the better. Others by how near they come to the number of nodes that the neediest
 * provider wants: just as many, else fewer, else more.
 */
function compareWith({
  wanted,
  distances,
}: {
  wanted: number;
  distances: NumaMachine["distances"];
}): (a: Merged, b: Merged) => boolean {
  const rank = ({ nodes: { length }, preferred }: Merged): [number, number] => {
    if (preferred) return [0, length];
    if (length === wanted) return [1, 0];
    return length < wanted ? [2, -length] : [3, length];
  };
  return (a, b) => {
    const [[kindOfA, sizeOfA], [kindOfB, sizeOfB]] = [rank(a), rank(b)];
    if (kindOfA !== kindOfB) return kindOfA < kindOfB;
    if (sizeOfA !== sizeOfB) return sizeOfA < sizeOfB;
    const [farA, farB] = distances ? [averageDistance(a, distances), averageDistance(b, distances)] : [0, 0];
    return farA === farB ? isNarrower(a.nodes, b.nodes) : farA < farB;
  };
}

function averageDistance({ nodes }: Merged, distances: NonNullable<NumaMachine["distances"]>): number {
  const all = nodes.flatMap((from) => nodes.map((to) => distances.get(from)?.get(to) ?? 0));
  return all.reduce((sum, distance) => sum + distance, 0) / all.length;
}
