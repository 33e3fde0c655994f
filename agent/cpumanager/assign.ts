import { type CpuSet, union } from "./cpu-set.ts";
import type { Cpu } from "./topology.ts";

type Level = "numa" | "socket" | "core";

/**
 * Chooses CPUs that lie together: whole NUMA nodes or sockets first, then whole cores, then single threads, at each step
 * where the least is left, so that large pieces stay whole. The order of the kubelet's static policy.
 * @throws RangeError in upstream's words if there are too few
 */
export function takeCpus(topology: readonly Cpu[], available: CpuSet, count: number): CpuSet {
  if (available.length < count) {
    throw new RangeError(
      `not enough cpus available to satisfy request: requested=${count}, available=${available.length}`,
    );
  }
  let taken: CpuSet = [];
  const free = () => topology.filter(({ cpu }) => available.includes(cpu) && !taken.includes(cpu));
  const sizes = { numa: countOf(topology, "numa"), socket: countOf(topology, "socket") };
  // Of sockets and NUMA nodes the larger ones come first.
  const outer: Level[] = sizes.socket >= sizes.numa ? ["numa", "socket"] : ["socket", "numa"];
  for (const level of [...outer, "core"] as Level[]) {
    for (const id of inOrder(free(), level, outer)) {
      const whole = topology.filter((each) => each[level] === id).map(({ cpu }) => cpu);
      const isFree = whole.every((cpu) => available.includes(cpu) && !taken.includes(cpu));
      if (isFree && whole.length <= count - taken.length) taken = union(taken, whole);
    }
  }
  for (const core of inOrder(free(), "core", outer)) {
    const threads = free().filter((each) => each.core === core);
    taken = union(taken, threads.map(({ cpu }) => cpu).slice(0, count - taken.length));
  }
  return taken;
}

const countOf = (topology: readonly Cpu[], level: Level) => new Set(topology.map((each) => each[level])).size;

/** Ids of a level among what is free: those with the least left first, each within what holds it. */
function inOrder(free: Cpu[], level: Level, outer: Level[]): number[] {
  const levels = level === outer[0] ? [level] : level === "core" ? [...outer, level] : [outer[0]!, level];
  const left = (each: Cpu, at: Level) => free.filter((other) => other[at] === each[at]).length;
  const sorted = [...free].sort((a, b) => {
    for (const at of levels) {
      const order = left(a, at) - left(b, at) || a[at] - b[at];
      if (order !== 0) return order;
    }
    return a.cpu - b.cpu;
  });
  return [...new Set(sorted.map((each) => each[level]))];
}
