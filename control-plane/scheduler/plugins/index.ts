/**
 * The scheduler's plugins, in the order in which they are asked. Each is a file of its own with a pure predicate or
 * score; weights are upstream's defaults.
 */
import type { FilterPlugin, ScorePlugin } from "../framework/plugin.ts";
import { balancedAllocation } from "./balanced-allocation.ts";
import { dynamicResourcesFilter, dynamicResourcesScore } from "./dynamic-resources.ts";
import { imageLocality } from "./image-locality.ts";
import { interPodAffinity } from "./inter-pod-affinity.ts";
import { interPodAffinityScore } from "./inter-pod-affinity-score.ts";
import { nodeAffinityFilter, nodeAffinityScore } from "./node-affinity.ts";
import { nodeDeclaredFeatures } from "./node-declared-features.ts";
import { nodeName } from "./node-name.ts";
import { nodePorts } from "./node-ports.ts";
import { leastAllocated, nodeResourcesFit } from "./node-resources-fit.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";
import { nodeVolumeLimits } from "./node-volume-limits.ts";
import { podTopologySpread } from "./pod-topology-spread.ts";
import { podTopologySpreadScore } from "./pod-topology-spread-score.ts";
import { taintTolerationFilter, taintTolerationScore } from "./taint-toleration.ts";
import { volumeBinding } from "./volume-binding.ts";
import { volumeRestrictions } from "./volume-restrictions.ts";
import { volumeZone } from "./volume-zone.ts";

export const FILTERS: readonly FilterPlugin[] = [
  nodeUnschedulable,
  nodeName,
  taintTolerationFilter,
  nodeAffinityFilter,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  podTopologySpread,
  interPodAffinity,
  dynamicResourcesFilter,
  nodeDeclaredFeatures,
];

/** They look at the pod and the node alone: what an empty node would say does not change until the node does. */
export const NODE_FILTERS = FILTERS.filter((plugin) => "filter" in plugin);

export const SCORES: readonly ScorePlugin[] = [
  taintTolerationScore,
  nodeAffinityScore,
  leastAllocated,
  podTopologySpreadScore,
  interPodAffinityScore,
  dynamicResourcesScore,
  balancedAllocation,
  imageLocality,
];
