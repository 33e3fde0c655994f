import type { ContainerStats } from "../cri/index.ts";
import { json, type KubeletAnswer } from "./answer.ts";
import type { NodeState } from "./node-state.ts";

/** `GET /stats/summary`: what the runtime measures of each container, by pod (kubelet's stats/v1alpha1 Summary). */
export async function statsSummary(state: NodeState): Promise<KubeletAnswer> {
  const stats = await state.runtime.listContainerStats();
  return json({ node: { nodeName: state.nodeName }, pods: renderPods(stats) });
}

function renderPods(stats: ContainerStats[]) {
  const pods = new Map<string, { podRef: Record<string, string>; containers: unknown[] }>();
  for (const each of stats) {
    const labels = each.attributes?.labels ?? {};
    const uid = labels["io.kubernetes.pod.uid"] ?? "";
    const pod = pods.get(uid) ?? {
      podRef: {
        name: labels["io.kubernetes.pod.name"] ?? "",
        namespace: labels["io.kubernetes.pod.namespace"] ?? "",
        uid,
      },
      containers: [],
    };
    pods.set(uid, pod);
    pod.containers.push({
      name: labels["io.kubernetes.container.name"] ?? "",
      cpu: { usageCoreNanoSeconds: each.cpu?.usageCoreNanoSeconds?.value },
      memory: { workingSetBytes: each.memory?.workingSetBytes?.value },
    });
  }
  return [...pods.values()];
}
