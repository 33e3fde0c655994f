import type { Pod } from "../api/index.ts";
import type { CgroupSettings } from "../cgroup/index.ts";
import type { CriClient } from "../cri/index.ts";
import type { PodUsage } from "../eviction/index.ts";

/** What the server reads of the node; the kubelet has it. */
export interface NodeState {
  nodeName: string;
  /** The pods of this node as the kubelet knows them, their status up to date. The objects are shared: change none. */
  pods(): Pod[];
  /** What pods take of the node, by uid. */
  measure(pods: readonly Pod[]): Promise<ReadonlyMap<string, PodUsage>>;
  /** A path on the disk of volumes and logs. */
  disk: string;
  runtime: CriClient;
  cgroups: Pick<CgroupSettings, "version" | "driver" | "root">;
  /** KubeletConfiguration (kubelet.config.k8s.io/v1beta1), as `configz` shows it. */
  configuration: Record<string, unknown>;
}

/** The newest of the name: one that was deleted by force may still be on its way out beside its successor. */
export function findPod(state: NodeState, namespace: string, name: string): Pod | undefined {
  return state
    .pods()
    .filter(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
    .reduce<Pod | undefined>((newest, pod) => (newest && createdAt(newest) > createdAt(pod) ? newest : pod), undefined);
}

/** Seconds are what the API tells; of two pods of one second the one that was told last is the newer. */
const createdAt = ({ metadata }: Pod) => Date.parse(metadata.creationTimestamp ?? "") || 0;

/** Containers of every sort, in the pod's order. */
export function containerNames({ spec }: Pod): string[] {
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])].map((c) => c.name);
}
