/**
 * From requests and limits to the numbers that the runtime writes into cgroups. The cgroups themselves are made by the
 * runtime, under the parent named here; it leaves the parents behind, and `removeCgroup` takes them away.
 */
export { bytes, cpuMilli } from "./quantity.ts";
export { cgroupProcesses, removeCgroup } from "./remove.ts";
export { containerResources, podCgroupParent, podCgroupPaths, type QosClass, qosClass } from "./resources.ts";
