/**
 * The kubelet's CPU manager: guaranteed containers that ask for whole CPUs get them for themselves (policy `static`).
 * Choosing is pure; `topology.ts` reads the machine, and the container runtime does the moving.
 */
export { NO_CPU_OPTIONS, parseCpuOptions } from "./cpu-options.ts";
export { type CpuSet, parseCpuSet, printCpuSet } from "./cpu-set.ts";
export {
  type Assignments,
  assignContainer,
  type CpuPool,
  checkAssignments,
  checkOptions,
  containerCpuHints,
  podCpuHints,
  releasePod,
  reserveCpus,
  sharedCpus,
} from "./static-policy.ts";
export { type NumaNode, readNumaNodes, readTopology } from "./topology.ts";
