/**
 * The kubelet's topology manager: on which NUMA nodes a container's CPUs and memory are to be, so that they lie together.
 * Those who give them out say where they could (hints); merging and deciding is pure. It gives out nothing itself.
 */
export { AdmissionError } from "./admission-error.ts";
export { type Alignment, alignPod, type Provider } from "./align.ts";
export { areEqual, type Hint, type Hints, isNarrower, type NumaNodes, subsetsOf } from "./hint.ts";
export { mergeHints, type NumaMachine, type TopologyPolicy } from "./merge.ts";
export { parseBool, parseTopologyOptions, type TopologyOptions } from "./options.ts";
