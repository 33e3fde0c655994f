/**
 * From requests and limits to cgroups: the tree of a node's pods with its values (version 2), and what the runtime is told
 * to give each container. The values are pure functions; `cgroupfs.ts` and `systemd.ts` alone touch the system. With
 * version 1 the runtime makes the cgroups, and nothing of the tree's own values is set.
 */
export { pageSizeName } from "./hugetlb.ts";
export { type CgroupLimits, podLimits, podMemoryLimit, reservedLimits } from "./limits.ts";
export { type CgroupDriver, type CgroupName, cgroupPath, parseCgroupName } from "./name.ts";
export { createPodCgroups, type PodCgroups } from "./pod-cgroups.ts";
export { nodeCgroupPath, podCgroupParent } from "./pod-name.ts";
export { bytes, cpuMilli } from "./quantity.ts";
export { cgroupProcesses, removeCgroup } from "./remove.ts";
export { containerResources } from "./resources.ts";
export type { CgroupSettings, Reserve, SwapBehavior } from "./settings.ts";
export { type CgroupUsage, machineCpu, machineMemory, type Pressure, readUsage } from "./usage.ts";
