import type { Node } from "../../shared/api/types.ts";

/** The plugins that may say yes after a change to which they said no before, so that no pod is tried in vain. */
export const WOKEN_BY = {
  /** Room, ports and company that was in the way are gone. */
  podGone: new Set([
    "NodeResourcesFit",
    "NodePorts",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "InterPodAffinity",
    "PodTopologySpread",
  ]),
  /** Company that was missed, or domains that are even again. */
  podPlaced: new Set(["InterPodAffinity", "PodTopologySpread"]),
  podRelabelled: new Set(["InterPodAffinity", "PodTopologySpread"]),
  /** Pods going away are not counted in their domain any more. */
  podTerminating: new Set(["PodTopologySpread"]),
  namespaceRelabelled: new Set(["InterPodAffinity"]),
  storage: new Set(["VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"]),
  /** Claims, their classes, and what drivers publish. */
  devices: new Set(["DynamicResources"]),
  nodeLabels: new Set([
    "NodeAffinity",
    "DynamicResources",
    "VolumeBinding",
    "VolumeZone",
    "InterPodAffinity",
    "PodTopologySpread",
  ]),
  nodeTaints: new Set(["TaintToleration", "PodTopologySpread"]),
  nodeCordon: new Set(["NodeUnschedulable"]),
  nodeAllocatable: new Set(["NodeResourcesFit", "DynamicResources"]),
  nodeFeatures: new Set(["NodeDeclaredFeatures"]),
} as const satisfies Record<string, ReadonlySet<string>>;

/** Whose minds a node's change may change; empty for images, heartbeats and the like. */
export function wokenByNodeChange(before: Node, after: Node): ReadonlySet<string> {
  const plugins = new Set<string>();
  for (const [woken, of] of NODE_ASPECTS) {
    if (JSON.stringify(of(before)) !== JSON.stringify(of(after))) for (const plugin of woken) plugins.add(plugin);
  }
  return plugins;
}

const NODE_ASPECTS: readonly (readonly [ReadonlySet<string>, (node: Node) => unknown])[] = [
  [WOKEN_BY.nodeLabels, ({ metadata }) => metadata.labels],
  [WOKEN_BY.nodeTaints, ({ spec }) => spec?.taints],
  [WOKEN_BY.nodeCordon, ({ spec }) => spec?.unschedulable],
  [WOKEN_BY.nodeAllocatable, ({ status }) => status?.allocatable],
  [WOKEN_BY.nodeFeatures, ({ status }) => status?.declaredFeatures],
];
