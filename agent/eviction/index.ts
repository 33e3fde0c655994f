/**
 * The kubelet's eviction manager: while the node is short of memory, disk or processes it tells so in the Node's conditions,
 * frees what nobody needs, and then ends pods, one at a time, before the kernel does (KubeletConfiguration: evictionHard and
 * its like). It also ends pods that take more room on the disk than their limits say. Thresholds, ranking and texts are pure;
 * `observe.ts`, `measure.ts`, `disk-usage.ts`
 * and `kernel-log.ts` read the system.
 */
export { EVICTED, whyNotUnderPressure } from "./admission.ts";
export { createEvictionManager, type Eviction, type EvictionManager, type EvictionPolicy } from "./eviction.ts";
export { openKernelLog, parseSystemOom } from "./kernel-log.ts";
export { createMeasurement } from "./measure.ts";
export { hasImageDisk, observeDisk, observeNode } from "./observe.ts";
export type { Observation } from "./signals.ts";
export { CONFIGURABLE_SIGNALS, PRESSURES, type Pressure } from "./signals.ts";
export { evictionReserve, parseThresholds, parseThresholdValue, type Threshold } from "./thresholds.ts";
export type { ContainerUsage, DiskUsage, PodUsage } from "./usage.ts";
