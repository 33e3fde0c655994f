import type { CgroupLimits } from "./limits.ts";
import type { CgroupDriver, CgroupName } from "./name.ts";

export type SwapBehavior = "NoSwap" | "LimitedSwap";

/** A cgroup that is held to a reserve of the node's configuration. */
export interface Reserve {
  of: "system" | "kube";
  /** Whether it is held to the reserve of CPU alone. */
  onlyCpu: boolean;
  /** As the administrator has written it. */
  cgroup: string;
  name: CgroupName;
  limits: CgroupLimits;
}

/** What of the machine and of the node's configuration decides about cgroups. Known at the start, and fixed. */
export interface CgroupSettings {
  /** 1: cgroups are the runtime's alone, and what only version 2 has is left out. */
  version: 1 | 2;
  driver: CgroupDriver;
  /** Where the tree of pods hangs: nothing for the root, or a name of its own for each of several agents. */
  root: CgroupName;
  memoryBytes: number;
  /** What pods may have of it: without what is reserved for the system, eviction's threshold not subtracted. */
  allocatable: { cpuMilli: number; memoryBytes: number; pids: number };
  /** Cgroups of the machine's own daemons that are held to their reserves. They are not ours to make. */
  reserved: readonly Reserve[];
  swapBytes: number;
  /** As the kernel has them, in the words of cgroupfs: `2MB`, `1GB`. */
  hugePageSizes: readonly string[];
  /** Whether CPU limits are enforced at all (cpuCFSQuota), and over which period in microseconds. */
  enforcesCpuLimits: boolean;
  cpuPeriod: number;
  /** Processes in one pod; -1 is no limit. */
  podPidsLimit: number;
  /** Whether a container out of memory is killed as a whole (RES-08). */
  killsGroups: boolean;
  /** Undefined: memory.high is left alone (RES-09). */
  memoryThrottlingFactor: number | undefined;
  /** Whether requests protect memory from reclaim: memory.min and memory.low. */
  reservesMemory: boolean;
  swapBehavior: SwapBehavior;
}
