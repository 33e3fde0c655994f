/** The one file of this area that reads the system: where each CPU is. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseCpuSet } from "./cpu-set.ts";

/** A logical CPU; the numbers of cores are unique over all sockets. */
export interface Cpu {
  cpu: number;
  core: number;
  socket: number;
  numa: number;
}

const SYSTEM = "/sys/devices/system";

/** Only CPUs that are on. A machine without NUMA is one node. */
export async function readTopology(root = SYSTEM): Promise<Cpu[]> {
  const online = parseCpuSet(await readFile(join(root, "cpu/online"), "utf8"));
  const nodes = await readNumaNodes(root);
  const cpus = await Promise.all(
    online.map(async (cpu) => {
      const read = async (name: string) =>
        Number(await readFile(join(root, `cpu/cpu${cpu}/topology/${name}`), "utf8").catch(() => "0"));
      return {
        cpu,
        coreId: await read("core_id"),
        socket: await read("physical_package_id"),
        numa: nodes.get(cpu) ?? 0,
      };
    }),
  );
  return numberCores(cpus);
}

async function readNumaNodes(root: string): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (const name of await readdir(join(root, "node")).catch(() => [])) {
    const numa = /^node(\d+)$/.exec(name)?.[1];
    if (numa === undefined) continue;
    const list = await readFile(join(root, "node", name, "cpulist"), "utf8");
    for (const cpu of parseCpuSet(list)) found.set(cpu, Number(numa));
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
