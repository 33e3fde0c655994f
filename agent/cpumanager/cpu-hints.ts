import { type Hint, type NumaNodes, subsetsOf } from "../topologymanager/index.ts";
import type { CpuSet } from "./cpu-set.ts";
import { type Cpu, nodesOf } from "./topology.ts";

/**
 * The sets of NUMA nodes with so many CPUs. Preferred are those that are as small as one could be on the empty machine,
 * or as few sockets as that.
 * @param options.available what nobody has
 * @param options.kept what the pod has already, and has to be among them
 */
export function cpuHints(
  topology: readonly Cpu[],
  {
    available,
    kept,
    count,
    alignsBySocket,
  }: { available: CpuSet; kept: CpuSet; count: number; alignsBySocket: boolean },
): Hint[] {
  const all = nodesOf(topology);
  const nodeOf = new Map(topology.map(({ cpu, numa }) => [cpu, numa]));
  const within = (cpus: CpuSet, nodes: NumaNodes) => cpus.filter((cpu) => nodes.includes(nodeOf.get(cpu)!)).length;
  const everything = topology.map(({ cpu }) => cpu);
  const subsets = subsetsOf(all);
  const fewest = subsets.find((nodes) => within(everything, nodes) >= count)?.length ?? all.length;
  const socketsOf = (nodes: NumaNodes) =>
    new Set(topology.filter(({ numa }) => nodes.includes(numa)).map(({ socket }) => socket)).size;
  const nodesPerSocket = Math.floor(all.length / socketsOf(all));
  const isAligned = (nodes: NumaNodes) =>
    alignsBySocket && nodesPerSocket > 0 && socketsOf(nodes) === Math.ceil(fewest / nodesPerSocket);
  return subsets
    .filter((nodes) => within(kept, nodes) === kept.length)
    .filter((nodes) => kept.length + within(available, nodes) >= count)
    .map((nodes) => ({ nodes, preferred: nodes.length === fewest || isAligned(nodes) }));
}
