/**
 * From requests and limits to the numbers that the runtime writes into cgroups. Pure; the cgroups themselves are made by
 * the runtime, under the parent named here.
 */
export { bytes, cpuMilli } from "./quantity.ts";
export { containerResources, podCgroupParent, type QosClass, qosClass } from "./resources.ts";
