import { isSidecar, parseAmounts, qosClass } from "../../shared/api/pod-requests.ts";
import { wholeUnits } from "../../shared/api/quantity.ts";
import type { Container, Pod } from "../api/index.ts";
import { areEqual, type Hint, type Hints, isNarrower, type NumaNodes, subsetsOf } from "../topologymanager/index.ts";
import {
  type Block,
  countMemory,
  isTaken,
  type MemoryAssignments,
  type MemoryNode,
  type MemoryTables,
  type Reserved,
} from "./memory-tables.ts";

export interface MemoryPool {
  machine: readonly MemoryNode[];
  reserved: Reserved;
}

interface State {
  assignments: MemoryAssignments;
  pool: MemoryPool;
}

type Bytes = Readonly<Record<string, number>>;

/** What a container is to have for itself: in guaranteed pods, all that it asks for. Empty for others. */
function requestsOf({ spec }: Pod, { resources }: Container): Bytes {
  // Pods with resources as a whole share (the kubelet's PodLevelResourceManagers is off by default).
  if (spec.resources || qosClass(spec) !== "Guaranteed") return {};
  const amounts = parseAmounts({ ...resources?.limits, ...resources?.requests });
  return Object.fromEntries(
    [...amounts]
      .filter(([name]) => name === "memory" || name.startsWith("hugepages-"))
      .map(([name, amount]) => [name, wholeUnits(amount)]),
  );
}

/** The most that a pod's containers have at a time. */
function podRequests(pod: Pod): Bytes {
  const sidecars: Record<string, number> = {};
  const peak: Record<string, number> = {};
  for (const container of pod.spec.initContainers ?? []) {
    for (const [type, bytes] of Object.entries(requestsOf(pod, container))) {
      const before = sidecars[type] ?? 0;
      if (isSidecar(container)) sidecars[type] = before + bytes;
      else peak[type] = Math.max(peak[type] ?? 0, before + bytes);
    }
  }
  const running: Record<string, number> = {};
  for (const container of pod.spec.containers) {
    for (const [type, bytes] of Object.entries(requestsOf(pod, container))) {
      running[type] = (running[type] ?? sidecars[type] ?? 0) + bytes;
    }
  }
  return Object.fromEntries(Object.entries(running).map(([type, bytes]) => [type, Math.max(bytes, peak[type] ?? 0)]));
}

const shortLivedBefore = ({ spec }: Pod, before: Container | undefined): Container[] => {
  const init = spec.initContainers ?? [];
  const end = before ? init.indexOf(before) : 0;
  return init.slice(0, end < 0 ? init.length : end).filter((container) => !isSidecar(container));
};

/** What init containers that have ended by then leave to those after them, on just these nodes. */
function reusableBytes(pod: Pod, before: Container | undefined, nodes: NumaNodes, { assignments }: State): Bytes {
  const bytes: Record<string, number> = {};
  for (const { name } of shortLivedBefore(pod, before)) {
    for (const block of assignments[pod.metadata.uid]?.[name] ?? []) {
      if (areEqual(block.nodes, nodes)) bytes[block.type] = (bytes[block.type] ?? 0) + block.sizeBytes;
    }
  }
  return bytes;
}

/** The sets of nodes on which all of it has room; they are the same for each type. */
function findNodes(requests: Bytes, tables: MemoryTables, reusable: (nodes: NumaNodes) => Bytes): Hint[] {
  const all = [...tables.keys()].sort((a, b) => a - b);
  const entries = Object.entries(requests);
  const sum = (nodes: NumaNodes, part: "allocatable" | "free", type: string) =>
    nodes.reduce((total, node) => total + (tables.get(node)![part][type] ?? 0), 0);
  const able = subsetsOf(all).filter((nodes) =>
    entries.every(([type, bytes]) => sum(nodes, "allocatable", type) >= bytes),
  );
  const fewest = Math.min(all.length, ...able.map(({ length }) => length));
  return able
    .filter((nodes) => nodes.length > 1 || tables.get(nodes[0]!)!.group.length === 1)
    .filter((nodes) => !nodes.some((node) => isTaken(tables.get(node)!, nodes)))
    .filter((nodes) => {
      const again = reusable(nodes);
      return entries.every(([type, bytes]) => sum(nodes, "free", type) + (again[type] ?? 0) >= bytes);
    })
    .map((nodes) => ({ nodes, preferred: nodes.length === fewest }));
}

function hintsFor(requests: Bytes, found: Hint[]): Hints {
  // Without any node upstream has no word for the resources at all: nothing is then preferred, and nothing refused.
  return found.length === 0 ? {} : Object.fromEntries(Object.keys(requests).map((type) => [type, found]));
}

const tablesOf = ({ assignments, pool }: State) => countMemory(pool.machine, pool.reserved, assignments);

/** Where the container's memory could be; undefined: it does not care. */
export function containerMemoryHints(pod: Pod, container: Container, state: State): Hints | undefined {
  const requests = requestsOf(pod, container);
  if (Object.keys(requests).length === 0) return undefined;
  const own = state.assignments[pod.metadata.uid]?.[container.name];
  if (own) return hintsOfBlocks(own, requests);
  const reusable = (nodes: NumaNodes) => reusableBytes(pod, container, nodes, state);
  return hintsFor(requests, findNodes(requests, tablesOf(state), reusable));
}

/** Where all of the pod's memory could be together. */
export function podMemoryHints(pod: Pod, state: State): Hints | undefined {
  const requests = podRequests(pod);
  if (Object.keys(requests).length === 0) return undefined;
  for (const { name } of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const own = state.assignments[pod.metadata.uid]?.[name];
    if (own) return hintsOfBlocks(own, requests);
  }
  return hintsFor(
    requests,
    findNodes(requests, tablesOf(state), () => ({})),
  );
}

/** Where it is; undefined if that is not what is asked for. */
function hintsOfBlocks(blocks: readonly Block[], requests: Bytes): Hints | undefined {
  const fits =
    blocks.length === Object.keys(requests).length && blocks.every((block) => requests[block.type] === block.sizeBytes);
  return fits ? Object.fromEntries(blocks.map(({ type, nodes }) => [type, [{ nodes, preferred: true }]])) : undefined;
}

/**
 * Promises a container its memory: on the nodes of the hint, if they have room, else on the fewest that include them. What
 * init containers had on the same nodes is used again. One that has memory already keeps it.
 * @throws Error in upstream's words if there is no room, or only where others' memory would be split
 */
export function reserveBlocks(pod: Pod, container: Container, hint: Hint, state: State): MemoryAssignments {
  const { assignments } = state;
  const { uid } = pod.metadata;
  const requests = requestsOf(pod, container);
  if (Object.keys(requests).length === 0 || assignments[uid]?.[container.name]) return assignments;
  const tables = tablesOf(state);
  const nodes = decideNodes(requests, hint, tables, (of) => reusableBytes(pod, container, of, state));
  const blocks = Object.entries(requests).map(([type, sizeBytes]) => ({ nodes, type, sizeBytes }));
  return { ...assignments, [uid]: { ...takeOver(pod, container, blocks, assignments), [container.name]: blocks } };
}

function decideNodes(
  requests: Bytes,
  hint: Hint,
  tables: MemoryTables,
  reusable: (nodes: NumaNodes) => Bytes,
): NumaNodes {
  const fail = (why: string): never => {
    throw new Error(`[memorymanager] ${why}`);
  };
  const found = findNodes(requests, tables, reusable);
  let { nodes, preferred } = hint;
  if (!nodes) {
    const best =
      bestOf(found) ?? fail("failed to get the default NUMA affinity, no NUMA nodes with enough memory is available");
    if (!best.preferred && preferred) fail("failed to find the default preferred hint");
    ({ nodes, preferred } = best as Required<Hint>);
  }
  const hasRoom = Object.entries(requests).every(
    ([type, bytes]) => nodes!.reduce((sum, node) => sum + (tables.get(node)?.free[type] ?? 0), 0) >= bytes,
  );
  if (!hasRoom) {
    const wider = found.filter((each) => nodes!.every((node) => each.nodes!.includes(node)));
    const best = bestOf(wider) ?? fail("failed to find NUMA nodes to extend the current topology hint");
    if (!best.preferred && preferred) fail("failed to find the extended preferred hint");
    nodes = best.nodes;
  }
  if (nodes!.some((node) => isTaken(tables.get(node)!, nodes!))) fail("preferred hint violates NUMA node allocation");
  return nodes!;
}

/** The preferred one first, then the narrowest. */
function bestOf(hints: readonly Hint[]): Hint | undefined {
  return hints.reduce<Hint | undefined>((best, hint) => {
    if (!best || (hint.preferred && !best.preferred)) return hint;
    return hint.preferred === best.preferred && isNarrower(hint.nodes!, best.nodes!) ? hint : best;
  }, undefined);
}

/** The pod's other containers, those before it without what it uses again. The sum stays what the pod has in all. */
function takeOver(
  pod: Pod,
  container: Container,
  blocks: readonly Block[],
  assignments: MemoryAssignments,
): Record<string, readonly Block[]> {
  const own = { ...assignments[pod.metadata.uid] };
  for (const { nodes, type, sizeBytes } of blocks) {
    let left = sizeBytes;
    for (const { name } of shortLivedBefore(pod, container)) {
      own[name] = (own[name] ?? []).map((block) => {
        if (block.type !== type || !areEqual(block.nodes, nodes)) return block;
        const taken = Math.min(left, block.sizeBytes);
        left -= taken;
        return { ...block, sizeBytes: block.sizeBytes - taken };
      });
    }
  }
  return own;
}

/** The NUMA nodes that a container is bound to; empty: any. */
export const nodesOfContainer = (uid: string, name: string, assignments: MemoryAssignments): NumaNodes =>
  [...new Set((assignments[uid]?.[name] ?? []).flatMap(({ nodes }) => nodes))].sort((a, b) => a - b);
