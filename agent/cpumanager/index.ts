/**
 * The kubelet's CPU manager: guaranteed containers that ask for whole CPUs get them for themselves (policy `static`).
 * Choosing is pure; `topology.ts` reads where CPUs are, and the container runtime does the moving.
 */
export { type CpuManager, createStaticCpuManager, noCpuManager } from "./cpu-manager.ts";
export { parseCpuSet } from "./cpu-set.ts";
export { reserveCpus } from "./static-policy.ts";
export { readTopology } from "./topology.ts";
