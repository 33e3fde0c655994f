/**
 * The kubelet's memory manager: guaranteed containers get their memory and huge pages on NUMA nodes that have room for it
 * (policy `Static`). It counts what it has promised; the container runtime binds containers to the nodes. All of it is pure.
 */

export { type Block, checkBlocks, type MemoryAssignments, type MemoryNode } from "./memory-tables.ts";
export { parseReservedMemory, type ReservedMemory } from "./reserved-memory.ts";
export {
  containerMemoryHints,
  type MemoryPool,
  nodesOfContainer,
  podMemoryHints,
  reserveBlocks,
} from "./static-policy.ts";
