/**
 * The kubelet's eviction manager: what is short on the node, and which pod has to go for it. Deciding is pure; `observe.ts`
 * looks at the machine, and ending a pod is its worker's work.
 */
export type { PressureCondition } from "./decide.ts";
export { createEvictor, type Evictor, type EvictorDeps } from "./evictor.ts";
export { openKernelLog, parseSystemOom } from "./kernel-log.ts";
export { observeNode } from "./observe.ts";
export type { PodUsage } from "./rank.ts";
export { limitsStorage, whyOverStorage } from "./storage-limits.ts";
export { parseThresholds, type Threshold, type ThresholdSettings } from "./thresholds.ts";
export { measurePods, measureStorage, type UsagePaths } from "./usage.ts";
