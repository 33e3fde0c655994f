import { areEqual, type NumaNodes } from "../topologymanager/index.ts";

/** Memory, or huge pages of one size, that was promised to a container. */
export interface Block {
  nodes: NumaNodes;
  /** `memory`, or `hugepages-2Mi` and its like. */
  type: string;
  sizeBytes: number;
}

/** By pod uid and container. */
export type MemoryAssignments = Readonly<Record<string, Readonly<Record<string, readonly Block[]>>>>;

/** A NUMA node, in bytes: its memory, and what of it are huge pages. */
export interface MemoryNode {
  node: number;
  memoryBytes: number;
  hugepages: Readonly<Record<string, number>>;
}

/** By node and type, bytes that are the system's. */
export type Reserved = ReadonlyMap<number, Readonly<Record<string, number>>>;

/** What a node has for pods, and what is left of it. */
export interface MemoryTable {
  allocatable: Readonly<Record<string, number>>;
  free: Record<string, number>;
  /** Blocks on it. */
  count: number;
  /** With which nodes its blocks are shared: itself alone at first. A node is of one such group at a time. */
  group: NumaNodes;
}

export type MemoryTables = ReadonlyMap<number, MemoryTable>;

/** Where the machine stands with all that was promised. */
export function countMemory(
  machine: readonly MemoryNode[],
  reserved: Reserved,
  assignments: MemoryAssignments,
): MemoryTables {
  const tables = new Map(machine.map((node) => [node.node, emptyTable(node, reserved.get(node.node) ?? {})]));
  for (const containers of Object.values(assignments)) {
    for (const blocks of Object.values(containers)) for (const block of blocks) putBlock(tables, block);
  }
  return tables;
}

function emptyTable({ node, memoryBytes, hugepages }: MemoryNode, reserved: Readonly<Record<string, number>>) {
  const pages = Object.entries(hugepages).map(([type, bytes]) => [type, bytes - (reserved[type] ?? 0)] as const);
  const inPages = Object.values(hugepages).reduce((sum, bytes) => sum + bytes, 0);
  const allocatable = { memory: memoryBytes - (reserved["memory"] ?? 0) - inPages, ...Object.fromEntries(pages) };
  return { allocatable, free: { ...allocatable }, count: 0, group: [node] } satisfies MemoryTable;
}

/** Fills its nodes one after the other. */
function putBlock(tables: MemoryTables, { nodes, type, sizeBytes }: Block): void {
  let left = sizeBytes;
  for (const node of nodes) {
    const table = tables.get(node);
    if (!table) continue;
    table.count += 1;
    table.group = nodes;
    const taken = Math.min(left, Math.max(0, table.free[type] ?? 0));
    table.free[type] = (table.free[type] ?? 0) - taken;
    left -= taken;
  }
}

/** A node that has blocks of one group cannot be of another. */
export function isTaken({ count, group }: MemoryTable, nodes: NumaNodes): boolean {
  return nodes.length > 1 && count > 0 && !areEqual(group, nodes);
}

/**
 * Whether what was promised before is still there.
 * @throws Error in upstream's words if the machine has other memory now
 */
export function checkBlocks(machine: readonly MemoryNode[], assignments: MemoryAssignments): void {
  const nodes = new Map(machine.map((each) => [each.node, each]));
  for (const [uid, containers] of Object.entries(assignments)) {
    for (const [name, blocks] of Object.entries(containers)) {
      const of = `[memorymanager] (pod: ${uid}, container: ${name}) the memory assignment uses`;
      for (const { nodes: own, type } of blocks) {
        for (const node of own) {
          const found = nodes.get(node);
          if (!found) throw new Error(`${of} the NUMA that does not exist`);
          if (type !== "memory" && found.hugepages[type] === undefined) {
            throw new Error(`${of} memory resource that does not exist`);
          }
        }
      }
    }
  }
}
