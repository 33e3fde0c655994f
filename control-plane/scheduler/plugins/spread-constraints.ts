import { matchesNodeSelectors } from "../../../shared/api/node-selector.ts";
import { isEmptySelector, type LabelSelectorObject, matchesLabelSelector } from "../../../shared/api/selector.ts";
import { tolerates } from "../../../shared/api/toleration.ts";
import type { Pod, PodSpec } from "../../../shared/api/types.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { Cluster } from "../framework/plugin.ts";

export const HOSTNAME = "kubernetes.io/hostname";
const ZONE = "topology.kubernetes.io/zone";

/** A TopologySpreadConstraint with its defaults filled in. */
export interface SpreadConstraint {
  maxSkew: number;
  minDomains: number;
  topologyKey: string;
  honorsNodeAffinity: boolean;
  honorsNodeTaints: boolean;
  /** Pods that all of these select are counted. */
  selectors: readonly LabelSelectorObject[];
}

/** The pod's own constraints of one kind; `matchLabelKeys` add the pod's own values of those labels. */
export function spreadConstraintsOf(
  { metadata, spec }: Pod,
  whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway",
): SpreadConstraint[] {
  return (spec?.topologySpreadConstraints ?? [])
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => {
      const { labelSelector, matchLabelKeys = [] } = constraint;
      const labels = metadata.labels ?? {};
      const shared = matchLabelKeys.filter((key) => key in labels).map((key) => [key, labels[key]!] as const);
      return {
        maxSkew: constraint.maxSkew,
        minDomains: constraint.minDomains ?? 1,
        topologyKey: constraint.topologyKey,
        honorsNodeAffinity: (constraint.nodeAffinityPolicy ?? "Honor") === "Honor",
        honorsNodeTaints: (constraint.nodeTaintsPolicy ?? "Ignore") === "Honor",
        selectors: !labelSelector
          ? []
          : shared.length > 0
            ? [labelSelector, { matchLabels: Object.fromEntries(shared) }]
            : [labelSelector],
      };
    });
}

/** A constraint of the cluster for pods that have none of their own; whom it counts follows from the pod. */
export type DefaultConstraint = Omit<NonNullable<PodSpec["topologySpreadConstraints"]>[number], "labelSelector">;

/** What holds for a pod without constraints of its own that is one of several replicas. */
export interface SpreadDefaults {
  constraints: readonly DefaultConstraint[];
  /** Whether a node counts only where all keys are there: not for the system's own defaults. */
  needsAllKeys: boolean;
}

/** The system's (SCH-15). */
export const SYSTEM_DEFAULTS: SpreadDefaults = {
  constraints: [
    { topologyKey: HOSTNAME, maxSkew: 3, whenUnsatisfiable: "ScheduleAnyway" },
    { topologyKey: ZONE, maxSkew: 5, whenUnsatisfiable: "ScheduleAnyway" },
  ],
  needsAllKeys: false,
};

/** The pod's own constraints of one kind, or the cluster's where it has none of either kind and is somebody's replica. */
export function constraintsFor(
  pod: Pod,
  whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway",
  { defaults, cluster }: { defaults: SpreadDefaults; cluster: Pick<Cluster, "replicaSelectors"> },
): { constraints: SpreadConstraint[]; needsAllKeys: boolean } {
  if ((pod.spec?.topologySpreadConstraints ?? []).length > 0) {
    return { constraints: spreadConstraintsOf(pod, whenUnsatisfiable), needsAllKeys: true };
  }
  const { constraints, needsAllKeys } = defaults;
  const wanted = constraints.filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable);
  const selectors = wanted.length > 0 ? cluster.replicaSelectors(pod) : [];
  if (selectors.length === 0) return { constraints: [], needsAllKeys };
  const topologySpreadConstraints = wanted.map((constraint) => ({ ...constraint, labelSelector: {} }));
  const own = { ...pod, spec: { ...pod.spec, topologySpreadConstraints } };
  return {
    constraints: spreadConstraintsOf(own, whenUnsatisfiable).map((constraint) => ({ ...constraint, selectors })),
    needsAllKeys,
  };
}

/** No selector at all selects nothing. */
export const isSelected = ({ selectors }: SpreadConstraint, labels: Record<string, string> | undefined): boolean =>
  selectors.length > 0 && selectors.every((selector) => matchesLabelSelector(selector, labels));

/** Pods of a node that a constraint counts: those going away, and those of other namespaces, are none of them. */
export function countSelected(constraint: SpreadConstraint, node: NodeInfo, namespace: string): number {
  // Upstream counts nothing for a selector that would select everything.
  if (constraint.selectors.every(isEmptySelector)) return 0;
  let count = 0;
  for (const group of node.groups) {
    if (group.namespace !== namespace || !isSelected(constraint, group.labels)) continue;
    count += group.count - group.terminating;
  }
  return count;
}

/** Whether a node's domain counts at all, by the constraint's inclusion policies. */
export function isIncluded(constraint: SpreadConstraint, pod: Pod, { node }: NodeInfo): boolean {
  if (constraint.honorsNodeAffinity && !matchesNodeSelectors(pod, node)) return false;
  if (!constraint.honorsNodeTaints) return true;
  const tolerations = pod.spec?.tolerations ?? [];
  return (node.spec?.taints ?? []).every(
    (taint) => (taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") || tolerates(tolerations, taint),
  );
}

export const hasAllKeys = ({ labels }: NodeInfo, constraints: readonly SpreadConstraint[]): boolean =>
  constraints.every(({ topologyKey }) => topologyKey in labels);
