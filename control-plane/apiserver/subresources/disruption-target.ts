import type { KubeObject } from "../../../shared/api/object.ts";

interface Pod extends KubeObject {
  status?: { conditions?: Condition[] };
}

interface Condition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  [field: string]: unknown;
}

/**
 * A pod that is about to be evicted, changed in place. The time is that of the first such eviction.
 * @returns undefined if the pod says so already
 */
export function withDisruptionTarget(pod: Pod, now: string): Pod | undefined {
  const conditions = pod.status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === "DisruptionTarget");
  const condition: Condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastProbeTime: null,
    lastTransitionTime: before?.status === "True" ? (before.lastTransitionTime ?? now) : now,
  };
  if (before?.status === "True" && before.reason === condition.reason && before.message === condition.message) {
    return undefined;
  }
  const others = conditions.map((other) => (other === before ? condition : other));
  pod.status = { ...pod.status, conditions: before ? others : [...conditions, condition] };
  return pod;
}
