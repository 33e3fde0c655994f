/** The one file of this area that reads the system: where each CPU is, and how the memory is divided. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseCpuSet } from "./cpu-set.ts";

/** A logical CPU; the numbers of cores and caches are unique over all sockets. */
export interface Cpu {
  cpu: number;
  core: number;
  socket: number;
  numa: number;
  /** The last-level ("uncore") cache that it shares with others. */
  cache: number;
}

/** A NUMA node as the kernel tells it; amounts in bytes. */
export interface NumaNode {
  node: number;
  memoryBytes: number;
  /** By resource: `hugepages-2Mi`. */
  hugepages: Record<string, number>;
  /** To each node, by its number. */
  distances: Map<number, number>;
}

const SYSTEM = "/sys/devices/system";
const MEMINFO = "/proc/meminfo";

/** Threads of a core, where all have as many. */
export const threadsPerCore = (topology: readonly Cpu[]): number =>
  Math.floor(topology.length / new Set(topology.map(({ core }) => core)).size);

export const nodesOf = (topology: readonly Cpu[]): number[] =>
  [...new Set(topology.map(({ numa }) => numa))].sort((a, b) => a - b);

/** Only CPUs that are on. A machine without NUMA is one node. */
export async function readTopology(root = SYSTEM): Promise<Cpu[]> {
  const online = parseCpuSet(await readFile(join(root, "cpu/online"), "utf8"));
  const nodes = await readNodesOfCpus(root);
  const cpus = await Promise.all(
    online.map(async (cpu) => {
      const text = (name: string) => readFile(join(root, `cpu/cpu${cpu}`, name), "utf8").catch(() => "");
      const socket = Number(await text("topology/physical_package_id"));
      // The third level, as upstream has it; a machine that does not tell is divided by its sockets.
      const [cache] = parseCpuSet(await text("cache/index3/shared_cpu_list"));
      return { cpu, coreId: Number(await text("topology/core_id")), socket, numa: nodes.get(cpu) ?? 0, cache };
    }),
  );
  return numberCores(cpus.map(({ cache, ...each }) => ({ ...each, cache: cache ?? each.socket })));
}

/** Memory by node. A machine without NUMA is one. */
export async function readNumaNodes(root = SYSTEM, meminfo = MEMINFO): Promise<NumaNode[]> {
  const numbers = await nodeNumbers(root);
  if (numbers.length === 0) {
    const memoryBytes = totalOf(await readFile(meminfo, "utf8"));
    return [{ node: 0, memoryBytes, hugepages: await readHugePages("/sys/kernel/mm/hugepages"), distances: new Map() }];
  }
  return Promise.all(
    numbers.map(async (node) => {
      const directory = join(root, `node/node${node}`);
      const distances = (await readFile(join(directory, "distance"), "utf8").catch(() => "")).trim().split(/\s+/);
      return {
        node,
        memoryBytes: totalOf(await readFile(join(directory, "meminfo"), "utf8")),
        hugepages: await readHugePages(join(directory, "hugepages")),
        distances: new Map(numbers.map((to, index) => [to, Number(distances[index] ?? 0)])),
      };
    }),
  );
}

const totalOf = (meminfo: string) => 1024 * Number(/MemTotal:\s+(\d+) kB/.exec(meminfo)?.[1] ?? 0);

async function readHugePages(directory: string): Promise<Record<string, number>> {
  const sizes = await readdir(directory).catch(() => []);
  const entries = await Promise.all(
    sizes.map(async (name) => {
      const kilobytes = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1] ?? 0);
      const count = Number(await readFile(join(directory, name, "nr_hugepages"), "utf8").catch(() => "0"));
      return [`hugepages-${pageSize(kilobytes)}`, 1024 * kilobytes * count] as const;
    }),
  );
  return Object.fromEntries(entries);
}

const pageSize = (kilobytes: number) =>
  kilobytes >= 1024 ** 2
    ? `${kilobytes / 1024 ** 2}Gi`
    : kilobytes >= 1024
      ? `${kilobytes / 1024}Mi`
      : `${kilobytes}Ki`;

async function nodeNumbers(root: string): Promise<number[]> {
  const names = await readdir(join(root, "node")).catch(() => []);
  return names
    .flatMap((name) => /^node(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

async function readNodesOfCpus(root: string): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (const node of await nodeNumbers(root)) {
    const list = await readFile(join(root, `node/node${node}`, "cpulist"), "utf8");
    for (const cpu of parseCpuSet(list)) found.set(cpu, node);
  }
  return found;
}

/** A core is named by its lowest CPU: the kernel's own numbers begin anew in each socket. */
function numberCores(cpus: (Omit<Cpu, "core"> & { coreId: number })[]): Cpu[] {
  const lowest = new Map<string, number>();
  const keyOf = ({ socket, coreId }: { socket: number; coreId: number }) => `${socket}/${coreId}`;
  for (const each of cpus) lowest.set(keyOf(each), Math.min(lowest.get(keyOf(each)) ?? Infinity, each.cpu));
  return cpus.map(({ coreId, ...each }) => ({ ...each, core: lowest.get(keyOf({ ...each, coreId }))! }));
}
