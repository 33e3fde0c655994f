import { isTerminalPhase } from "../../../shared/api/pod-phase.ts";
import { qosClass } from "../../../shared/api/pod-requests.ts";
import { printTime } from "../../../shared/api/timestamp.ts";
import { isStatic, type Pod, type PodCondition, type PodStatus } from "../../api/index.ts";
import { decideSandbox } from "../pod-actions.ts";
import { asksToRestartAll } from "../restart-policy.ts";
import { decideConditions, OWNED_CONDITIONS, stampConditions } from "./conditions.ts";
import { decideContainerStatuses, type StatusInputs } from "./container-statuses.ts";
import { markLost } from "./lost-containers.ts";
import { decidePhase, type Phase } from "./phase.ts";
import { trimMessages } from "./trim-messages.ts";

/** Why the kubelet itself ends a pod. */
export interface PodFailure {
  reason: string;
  message: string;
  /** The type of its event; undefined: it has none. */
  event?: "Normal" | "Warning";
  annotations?: Readonly<Record<string, string>>;
  /** For those who count disruptions (KEP-3329). */
  condition?: { type: "DisruptionTarget"; status: "True"; reason: string; message: string };
}

export interface PodStatusInputs extends Omit<StatusInputs, "previous" | "restartedAll"> {
  /** What was last written, or what the API has. */
  previous: PodStatus;
  hostIps: string[];
  /** No container will be started any more. */
  ended: boolean;
  /** Why the kubelet itself has ended the pod. */
  failure?: PodFailure;
  /** Of a resize that is under way. */
  resizeConditions?: Pick<PodCondition, "type" | "status" | "reason" | "message" | "observedGeneration">[];
  nowMs: number;
}

/** The whole of pods/status, from what the runtime has and what was reported before. Pure. */
export function decidePodStatus(inputs: PodStatusInputs): PodStatus {
  const { pod, observed, previous, hostIps, nowMs } = inputs;
  const restartedAll = (previous.conditions ?? []).some(
    ({ type, status }) => type === "AllContainersRestarting" && status === "True",
  );
  const containerStatuses = decideContainerStatuses("regular", {
    ...inputs,
    restartedAll,
    previous: previous.containerStatuses ?? [],
  });
  const initContainerStatuses = decideContainerStatuses("init", {
    ...inputs,
    restartedAll,
    previous: previous.initContainerStatuses ?? [],
  });
  const ephemeralContainerStatuses = decideContainerStatuses("ephemeral", {
    ...inputs,
    restartedAll,
    previous: previous.ephemeralContainerStatuses ?? [],
  });
  const statuses = [...initContainerStatuses, ...containerStatuses];
  const initialized = containerStatuses.some(({ state }) => state?.running || state?.terminated);
  const decided = decidePhase(pod, statuses, { ended: inputs.ended, initialized });
  // There is no way back from an end.
  const final = [previous.phase, pod.status?.phase].find(isTerminalPhase) as Phase | undefined;
  const phase = final ?? decideReportedPhase(inputs, decided);
  const foreign = ((pod.status?.conditions ?? []) as PodCondition[]).filter(({ type }) => !OWNED_CONDITIONS.has(type));
  const hasSandbox = !decideSandbox(pod, observed).create;
  const known = (previous.conditions ?? []) as PodCondition[];
  const conditions = final
    ? known.filter(
        ({ type }) => OWNED_CONDITIONS.has(type) && !inputs.resizeConditions?.some((own) => own.type === type),
      )
    : decideConditions(pod, {
        phase: inputs.failure ? "Failed" : decided,
        statuses,
        hasSandbox,
        foreign,
        restartingAll: asksToRestartAll(pod, observed),
      });
  const { condition } = inputs.failure ?? {};
  // After the conditions: these say what was known of the containers.
  if (inputs.ended) markLost(pod, { initContainerStatuses, containerStatuses });
  trimMessages(statuses);
  const ips = podIps(inputs);
  const { generation } = pod.metadata;
  const same = phase === previous.phase;
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    phase,
    conditions: [
      ...foreign.filter(({ type }) => type !== condition?.type),
      ...stampConditions(
        [...(inputs.resizeConditions ?? []), ...conditions, ...(condition ? [condition] : [])],
        (previous.conditions ?? []) as PodCondition[],
        {
          generation,
          now: printTime(nowMs),
        },
      ),
    ],
    ...(same && previous.reason && { reason: previous.reason }),
    ...(same && previous.message && { message: previous.message }),
    ...(phase === "Failed" && inputs.failure && { reason: inputs.failure.reason, message: inputs.failure.message }),
    ...(hostIps[0] && { hostIP: hostIps[0], hostIPs: hostIps.map((ip) => ({ ip })) }),
    ...(ips[0] && { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    startTime: previous.startTime ?? printTime(nowMs),
    ...(initContainerStatuses.length > 0 && { initContainerStatuses }),
    containerStatuses,
    ...(ephemeralContainerStatuses.length > 0 && { ephemeralContainerStatuses }),
    qosClass: previous.qosClass ?? qosClass(pod.spec),
  } as PodStatus;
}

/** An end is told when nothing runs any more: until then the pod is as it was. A pod that is stopped has failed. */
function decideReportedPhase({ pod, ended, failure, previous }: PodStatusInputs, decided: Phase): Phase {
  if (!ended) return isTerminalPhase(decided) ? ((previous.phase ?? "Pending") as Phase) : decided;
  if (failure) return "Failed";
  // A static pod that is stopped will be started again.
  return isTerminalPhase(decided) || isStatic(pod) ? decided : "Failed";
}

/** The newest sandbox's, as long as it is ready; later the ones that were reported, for whoever still looks. */
function podIps({ pod, observed, previous, hostIps }: PodStatusInputs): string[] {
  if (pod.spec.hostNetwork) return hostIps;
  const current = observed.sandboxes[0]?.ready ? observed.sandboxes[0].ips : [];
  return current.length > 0 ? current : (previous.podIPs ?? []).map(({ ip }) => ip).filter((ip) => ip !== undefined);
}

/** Of a pod that the node did not let in: nothing of it was made, so there is nothing else to tell. */
export function decideRejectedStatus(
  pod: Pod,
  { reason, message }: { reason: string; message: string },
  nowMs: number,
): PodStatus {
  const { generation } = pod.metadata;
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    phase: "Failed",
    reason,
    message: `Pod was rejected: ${message}`,
    conditions: ((pod.status?.conditions ?? []) as PodCondition[]).filter(({ type }) => !OWNED_CONDITIONS.has(type)),
    startTime: pod.status?.startTime ?? printTime(nowMs),
    qosClass: pod.status?.qosClass ?? qosClass(pod.spec),
  } as PodStatus;
}
