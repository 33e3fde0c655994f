import { type CpuOptions, NO_CPU_OPTIONS } from "./cpu-options.ts";
import { type CpuSet, union } from "./cpu-set.ts";
import { takeSpread } from "./spread.ts";
import { type Cpu, threadsPerCore } from "./topology.ts";

type Level = "numa" | "socket" | "core" | "cache";

/**
 * Chooses CPUs that lie together: whole NUMA nodes or sockets first, then whole cores, then single threads, at each step
 * where the least is left, so that large pieces stay whole. The order of the kubelet's static policy; its options change it.
 * @throws RangeError in upstream's words if there are too few
 */
export function takeCpus(
  topology: readonly Cpu[],
  available: CpuSet,
  count: number,
  options: CpuOptions = NO_CPU_OPTIONS,
): CpuSet {
  if (available.length < count) {
    throw new RangeError(
      `not enough cpus available to satisfy request: requested=${count}, available=${available.length}`,
    );
  }
  const take = (from: CpuSet, many: number) => takeTogether(topology, from, many, options);
  if (!options.spreadsOverNodes) return take(available, count);
  const groupSize = options.fullCoresOnly ? threadsPerCore(topology) : 1;
  return takeSpread(topology, available, { count, groupSize, order: nodeOrder(topology, available), take });
}

function takeTogether(topology: readonly Cpu[], available: CpuSet, count: number, options: CpuOptions): CpuSet {
  let taken: CpuSet = [];
  const free = () => topology.filter(({ cpu }) => available.includes(cpu) && !taken.includes(cpu));
  const left = () => count - taken.length;
  const outer = outerLevels(topology);
  const takeWhole = (level: Level) => {
    for (const id of inOrder(free(), level, outer)) {
      const whole = topology.filter((each) => each[level] === id).map(({ cpu }) => cpu);
      const isFree = whole.every((cpu) => available.includes(cpu) && !taken.includes(cpu));
      if (isFree && whole.length <= left()) taken = union(taken, whole);
    }
  };
  for (const level of outer) takeWhole(level);
  if (options.prefersOneCache && left() > 0) {
    takeWhole("cache");
    for (const cache of inOrder(free(), "cache", outer)) {
      const inCache = free().filter((each) => each.cache === cache);
      taken = union(taken, wholeRest(inCache, left(), threadsPerCore(topology)));
    }
  }
  if (options.spreadsOverCores) {
    const spread = inOrder(free(), "socket", outer).flatMap((socket) =>
      free().filter((each) => each.socket === socket),
    );
    return union(
      taken,
      spread.slice(0, left()).map(({ cpu }) => cpu),
    );
  }
  takeWhole("core");
  for (const core of inOrder(free(), "core", outer)) {
    const threads = free().filter((each) => each.core === core);
    taken = union(
      taken,
      threads.slice(0, left()).map(({ cpu }) => cpu),
    );
  }
  return taken;
}

/** All that is still wanted out of one cache, in cores with the lowest numbers; nothing if it has not so much. */
function wholeRest(free: readonly Cpu[], count: number, perCore: number): CpuSet {
  if (count === 0) return [];
  const cores = [...new Set(free.map(({ core }) => core))].sort((a, b) => a - b).slice(0, Math.ceil(count / perCore));
  const cpus = free.filter(({ core }) => cores.includes(core)).map(({ cpu }) => cpu);
  // An odd one out: the last thread of its core stays.
  const enough = count % 2 !== 0 && perCore > 1 && cpus.length > count ? cpus.slice(0, -1) : cpus;
  return enough.length === count ? enough : [];
}

/** Of sockets and NUMA nodes the larger ones come first. */
function outerLevels(topology: readonly Cpu[]): ["numa", "socket"] | ["socket", "numa"] {
  return countOf(topology, "socket") >= countOf(topology, "numa") ? ["numa", "socket"] : ["socket", "numa"];
}

/** NUMA nodes with free CPUs: those with the least left first. */
export function nodeOrder(topology: readonly Cpu[], available: CpuSet): number[] {
  const free = topology.filter(({ cpu }) => available.includes(cpu));
  return inOrder(free, "numa", outerLevels(topology));
}

const countOf = (topology: readonly Cpu[], level: Level) => new Set(topology.map((each) => each[level])).size;

/** Ids of a level among what is free: those with the least left first, each within what holds it. */
function inOrder(free: readonly Cpu[], level: Level, outer: readonly ["numa" | "socket", "numa" | "socket"]): number[] {
  const [first, second] = outer;
  const nodeLevels: Level[] = first === "numa" ? ["numa"] : ["socket", "numa"];
  const levels: Level[] =
    level === first
      ? [level]
      : level === "core"
        ? [first, second, level]
        : level === "cache"
          ? [...nodeLevels, level]
          : [first, level];
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
