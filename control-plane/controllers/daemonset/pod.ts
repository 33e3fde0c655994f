import { DAEMON_SETS } from "../../../shared/api/refs.ts";
import type { Affinity, DaemonSet, NodeSelectorTerm, Pod, PodSpec, Toleration } from "../../../shared/api/types.ts";
import { REVISION_LABEL } from "../controller-revision/index.ts";
import { podFromTemplate } from "../pod-control.ts";

/** The label from before there were revisions: how often the template has changed. */
const GENERATION_LABEL = "pod-template-generation";
const GENERATION_ANNOTATION = "deprecated.daemonset.template.generation";

/** What daemon pods stand, so that trouble with their node does not drive them away. */
const TOLERATIONS: Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];
const NETWORK_TOLERATION: Toleration = {
  key: "node.kubernetes.io/network-unavailable",
  operator: "Exists",
  effect: "NoSchedule",
};

const specs = new WeakMap<DaemonSet, PodSpec>();

/** The template's spec with the tolerations that daemon pods get; the caller must not change it. */
export function daemonSpec(set: DaemonSet): PodSpec {
  let spec = specs.get(set);
  if (!spec) {
    const template = set.spec.template.spec ?? { containers: [] };
    const added = template.hostNetwork ? [...TOLERATIONS, NETWORK_TOLERATION] : TOLERATIONS;
    spec = { ...template, tolerations: added.reduce(withToleration, template.tolerations ?? []) };
    specs.set(set, spec);
  }
  return spec;
}

/** Those for the same taint are replaced in their places (one that has a time limit, say). */
function withToleration(tolerations: Toleration[], added: Toleration): Toleration[] {
  const isSame = (other: Toleration) =>
    other.key === added.key && other.effect === added.effect && other.operator === added.operator && !other.value;
  if (!tolerations.some(isSame)) return [...tolerations, added];
  return tolerations.map((other) => (isSame(other) ? added : other));
}

/** The pod for one node: the scheduler may put it nowhere else. */
export function newDaemonPod(set: DaemonSet, nodeName: string, hash: string): Pod {
  const spec = { ...daemonSpec(set), affinity: pinnedTo(nodeName, set.spec.template.spec?.affinity) };
  const pod = podFromTemplate({ ...set.spec.template, spec }, set, DAEMON_SETS);
  const generation = generationOf(set);
  pod.metadata.labels = {
    ...pod.metadata.labels,
    ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
    [REVISION_LABEL]: hash,
  };
  return pod;
}

/** The required node affinity gives way to the node's name, of which it is known that it fits. */
function pinnedTo(nodeName: string, affinity: Affinity | undefined): Affinity {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [nodeName] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}

function generationOf(set: DaemonSet): string | undefined {
  const text = set.metadata.annotations?.[GENERATION_ANNOTATION];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? String(Number(text)) : undefined;
}

/** The node that a pod is on, or waits for; undefined for a pod that is for none. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const term of required?.nodeSelectorTerms ?? []) {
    const values = pinnedNames(term);
    if (values) return values.length === 1 ? values[0] : undefined;
  }
  return undefined;
}

const pinnedNames = ({ matchFields }: NodeSelectorTerm): string[] | undefined => {
  const field = matchFields?.find(({ key, operator }) => key === "metadata.name" && operator === "In");
  return field && (field.values ?? []);
};

/** Of the present template: by the hash, or, made by an old controller, by the count of changes. */
export function isUpdated(set: DaemonSet, { metadata: { labels } }: Pod, hash: string): boolean {
  const generation = generationOf(set);
  return labels?.[REVISION_LABEL] === hash || (generation !== undefined && labels?.[GENERATION_LABEL] === generation);
}
