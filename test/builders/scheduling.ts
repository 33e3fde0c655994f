import { NO_DEVICES } from "../../control-plane/scheduler/devices/index.ts";
import { type CycleOptions, type Decision, decideNode } from "../../control-plane/scheduler/framework/cycle.ts";
import { NodeInfo, podInfoOf } from "../../control-plane/scheduler/framework/node-info.ts";
import type { Cluster } from "../../control-plane/scheduler/framework/plugin.ts";
import { FILTERS, SCORES } from "../../control-plane/scheduler/plugins/index.ts";
import { NO_STORAGE } from "../../control-plane/scheduler/volumes/storage.ts";
import type { Node, NodeSpec, Pod, PodSpec, PodStatus } from "../../shared/api/types.ts";

const GIB = 1024 ** 3;
let serial = 0;

/** A node with 4 cores, 8 GiB and room for 110 pods; its images have 1 GiB each. */
export function schedulingNode(
  name: string,
  options: { spec?: NodeSpec; labels?: Record<string, string>; cpu?: string; pods?: string; images?: string[] } = {},
): Node {
  const { spec, labels, cpu = "4", pods = "110", images = [] } = options;
  return {
    metadata: { name, labels },
    spec,
    status: {
      allocatable: { cpu, memory: "8Gi", pods, "ephemeral-storage": "10Gi" },
      images: images.map((image) => ({ names: [image], sizeBytes: GIB })),
    },
  } as Node;
}

/** A pod of the namespace `default` with one container, `app:1`. */
export function schedulingPod(
  spec: Partial<PodSpec> = {},
  requests?: Record<string, string>,
  more: { name?: string; namespace?: string; labels?: Record<string, string>; status?: PodStatus; deleted?: true } = {},
): Pod {
  serial += 1;
  const { name = `p${serial}`, namespace = "default", labels, status, deleted } = more;
  const metadata = { name, namespace, uid: `uid-${serial}`, labels };
  return {
    metadata: deleted ? { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } : metadata,
    spec: { containers: [{ name: "main", image: "app:1", ...(requests ? { resources: { requests } } : {}) }], ...spec },
    status,
  } as Pod;
}

/** Nodes with those of the pods that name them. */
export const nodeInfos = (nodes: Node[], pods: Pod[] = []): NodeInfo[] =>
  nodes.map((n) => new NodeInfo(n, pods.filter((p) => p.spec?.nodeName === n.metadata.name).map(podInfoOf)));

export const clusterOf = (nodes: readonly NodeInfo[], facts: Partial<Cluster> = {}): Cluster => ({
  nodes,
  get nodesWithAffinity() {
    return nodes.filter(({ hasAffinity }) => hasAffinity);
  },
  namespaceLabels: () => ({}),
  replicaSelectors: () => [],
  storage: NO_STORAGE,
  devices: NO_DEVICES,
  ...facts,
});

/** One cycle with all plugins; ties go to the first node. */
export function decideOn(pod: Pod, nodes: readonly NodeInfo[], options: Partial<CycleOptions> = {}): Decision {
  return decideNode(podInfoOf(pod), {
    filters: FILTERS,
    scores: SCORES,
    cluster: clusterOf(nodes),
    nominatedTo: () => [],
    budgets: () => [],
    start: 0,
    nowMs: Date.parse("2026-01-01T01:00:00Z"),
    random: () => 0,
    ...options,
  });
}
