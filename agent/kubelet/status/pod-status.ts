import type { PodCondition, PodStatus } from "../../api/index.ts";
import { qosClass } from "../../cgroup/index.ts";
import { printTime } from "../events.ts";
import { decideSandbox } from "../pod-actions.ts";
import { decideConditions, stampConditions } from "./conditions.ts";
import { decideContainerStatuses, type StatusInputs } from "./container-statuses.ts";
import { decidePhase } from "./phase.ts";

/** Conditions that only the kubelet writes. */
export const OWNED_CONDITIONS: ReadonlySet<string> = new Set([
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
]);

export interface PodStatusInputs extends Omit<StatusInputs, "previous"> {
  /** What was last written, or what the API has. */
  previous: PodStatus;
  hostIps: string[];
  /** No container will be started any more. */
  ended: boolean;
  /** Why the kubelet itself has ended the pod. */
  failure?: { reason: string; message: string };
  nowMs: number;
}

/** The whole of pods/status, from what the runtime has and what was reported before. Pure. */
export function decidePodStatus(inputs: PodStatusInputs): PodStatus {
  const { pod, observed, previous, hostIps, nowMs } = inputs;
  const containerStatuses = decideContainerStatuses("regular", {
    ...inputs,
    previous: previous.containerStatuses ?? [],
  });
  const initContainerStatuses = decideContainerStatuses("init", {
    ...inputs,
    previous: previous.initContainerStatuses ?? [],
  });
  const ephemeralContainerStatuses = decideContainerStatuses("ephemeral", {
    ...inputs,
    previous: previous.ephemeralContainerStatuses ?? [],
  });
  const statuses = [...initContainerStatuses, ...containerStatuses];
  const initialized = containerStatuses.some(({ state }) => state?.running || state?.terminated);
  const decided = decidePhase(pod, statuses, { ended: inputs.ended, initialized });
  // There is no way back from an end.
  const final = [previous.phase, pod.status?.phase].find((phase) => phase === "Failed" || phase === "Succeeded");
  const phase = final ?? (inputs.failure ? "Failed" : decided);
  const foreign = ((pod.status?.conditions ?? []) as PodCondition[]).filter(({ type }) => !OWNED_CONDITIONS.has(type));
  const hasSandbox = !decideSandbox(pod, observed).create;
  const conditions = decideConditions(pod, { phase: phase as "Failed", statuses, hasSandbox, foreign });
  const ips = podIps(inputs);
  const { generation } = pod.metadata;
  const same = phase === previous.phase;
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    phase,
    conditions: [
      ...foreign,
      ...stampConditions(conditions, (previous.conditions ?? []) as PodCondition[], {
        generation,
        now: printTime(nowMs),
      }),
    ],
    ...(same && previous.reason && { reason: previous.reason }),
    ...(same && previous.message && { message: previous.message }),
    ...(phase === "Failed" && inputs.failure),
    ...(hostIps[0] && { hostIP: hostIps[0], hostIPs: hostIps.map((ip) => ({ ip })) }),
    ...(ips[0] && { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    startTime: previous.startTime ?? printTime(nowMs),
    ...(initContainerStatuses.length > 0 && { initContainerStatuses }),
    containerStatuses,
    ...(ephemeralContainerStatuses.length > 0 && { ephemeralContainerStatuses }),
    qosClass: previous.qosClass ?? qosClass(pod),
  } as PodStatus;
}

/** The newest sandbox's, as long as it is ready; later the ones that were reported, for whoever still looks. */
function podIps({ pod, observed, previous, hostIps }: PodStatusInputs): string[] {
  if (pod.spec.hostNetwork) return hostIps.slice(0, 1);
  const current = observed.sandboxes[0]?.ready ? observed.sandboxes[0].ips : [];
  return current.length > 0 ? current : (previous.podIPs ?? []).map(({ ip }) => ip).filter((ip) => ip !== undefined);
}
