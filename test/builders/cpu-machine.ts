import type { Cpu } from "../../agent/cpumanager/topology.ts";

/**
 * A machine of two threads a core, n and n + half, as the kernel numbers them; cores fill sockets in turn, and the
 * sockets' NUMA nodes and caches.
 */
export function aCpuMachine({
  sockets,
  cores,
  numaPerSocket = 1,
  cachesPerSocket = 1,
  threads = 2,
}: {
  sockets: number;
  /** Of each socket. */
  cores: number;
  numaPerSocket?: number;
  cachesPerSocket?: number;
  threads?: number;
}): Cpu[] {
  const half = sockets * cores;
  return Array.from({ length: threads * half }, (_, cpu) => {
    const core = cpu % half;
    const socket = Math.floor(core / cores);
    const part = (parts: number) => socket * parts + Math.floor((core % cores) / (cores / parts));
    return { cpu, core, socket, numa: part(numaPerSocket), cache: part(cachesPerSocket) };
  });
}
