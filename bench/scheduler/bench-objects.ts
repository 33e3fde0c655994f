import type { Node, Pod, PodSpec } from "../../shared/api/types.ts";

const HOSTNAME = "kubernetes.io/hostname";
const ZONE = "topology.kubernetes.io/zone";
const REGION = "topology.kubernetes.io/region";
const ZONES = 10;

/** Of upstream's scheduler benchmarks: 4 cores, 32 GiB, 110 pods; here in one of ten zones of one region. */
export function benchNode(index: number): Node {
  const name = `node-${index}`;
  const amounts = { cpu: "4", memory: "32Gi", "ephemeral-storage": "100Gi", pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      uid: name,
      resourceVersion: "1",
      labels: { [HOSTNAME]: name, [ZONE]: `zone-${index % ZONES}`, [REGION]: "region", "kubernetes.io/os": "linux" },
    },
    spec: {},
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: "Ready", status: "True" }] },
  };
}

export interface PodKind {
  name: string;
  podOf(index: number): Pod;
}

const APP = { matchLabels: { app: "bench" } };
const company = (topologyKey: string) => ({ topologyKey, labelSelector: APP });

export const KINDS: readonly PodKind[] = [
  { name: "plain pods", podOf: (index) => benchPod(index, {}) },
  {
    name: "pods spread over zones (maxSkew 5, required)",
    podOf: (index) =>
      benchPod(index, {
        topologySpreadConstraints: [
          { maxSkew: 5, topologyKey: ZONE, whenUnsatisfiable: "DoNotSchedule", labelSelector: APP },
        ],
      }),
  },
  {
    name: "pods that want each other's zone (preferred affinity) and not each other's node (preferred anti-affinity)",
    podOf: (index) =>
      benchPod(index, {
        affinity: {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, podAffinityTerm: company(ZONE) }],
          },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, podAffinityTerm: company(HOSTNAME) }],
          },
        },
      }),
  },
  {
    name: "pods that have to be in one region (required affinity)",
    podOf: (index) =>
      benchPod(index, {
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [company(REGION)] } },
      }),
  },
];

function benchPod(index: number, spec: Partial<PodSpec>): Pod {
  const name = `pod-${index}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "bench", uid: name, labels: { app: "bench" }, generation: 1, resourceVersion: "1" },
    spec: {
      schedulerName: "default-scheduler",
      containers: [{ name: "main", image: "nginx:1.29", resources: { requests: { cpu: "10m", memory: "50Mi" } } }],
      ...spec,
    },
    status: { phase: "Pending" },
  };
}
