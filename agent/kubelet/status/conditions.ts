import type { ContainerStatus, Pod, PodCondition } from "../../api/index.ts";
import { couldRestartAll, isSidecar } from "../restart-policy.ts";
import type { Phase } from "./phase.ts";

/** Conditions that only the kubelet writes. */
export const OWNED_CONDITIONS: ReadonlySet<string> = new Set([
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
  "AllContainersRestarting",
  "PodResizePending",
  "PodResizeInProgress",
]);

interface Facts {
  phase: Phase;
  /** Init containers' and containers' together; undefined when nothing is known yet. */
  statuses: ContainerStatus[] | undefined;
  hasSandbox: boolean;
  /** Those that others own, which readiness gates look at. */
  foreign: PodCondition[];
  /** All containers are about to be started anew. */
  restartingAll: boolean;
}

type Verdict = Pick<PodCondition, "status" | "reason" | "message">;

const TRUE: Verdict = { status: "True" };

/** The conditions that the kubelet owns, in the order that it writes them (POD-05). */
export function decideConditions(pod: Pod, facts: Facts): ({ type: string } & Verdict)[] {
  const containersReady = decideContainersReady(pod, facts);
  return [
    { type: "PodReadyToStartContainers", status: facts.hasSandbox ? "True" : "False" },
    { type: "Initialized", ...decideInitialized(pod, facts) },
    { type: "Ready", ...(containersReady.status === "True" ? decideGates(pod, facts.foreign) : containersReady) },
    { type: "ContainersReady", ...containersReady },
    { type: "PodScheduled", status: "True" },
    ...(couldRestartAll(pod.spec) ? [{ type: "AllContainersRestarting", ...decideRestarting(facts) }] : []),
  ];
}

function decideRestarting({ phase, restartingAll }: Facts): Verdict {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  if (!restartingAll) return { status: "False" };
  return {
    status: "True",
    reason: "RestartAllContainersStarted",
    message: "container exited with restart policy rule",
  };
}

function decideContainersReady(pod: Pod, { phase, statuses }: Facts): Verdict {
  if (!statuses) return { status: "False", reason: "UnknownContainerStatuses" };
  const relevant = [...(pod.spec.initContainers ?? []).filter(isSidecar), ...pod.spec.containers];
  const { unknown, failing } = partition(relevant, statuses, (status) => status.ready);
  if (phase === "Succeeded" && unknown.length === 0) return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const message = listUnready(unknown, failing, "unready");
  return message ? { status: "False", reason: "ContainersNotReady", message } : TRUE;
}

function decideGates({ spec }: Pod, foreign: PodCondition[]): Verdict {
  const messages = (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = foreign.find(({ type }) => type === conditionType);
    if (!condition) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (condition.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
  return messages.length === 0
    ? TRUE
    : { status: "False", reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}

function decideInitialized({ spec }: Pod, { phase, statuses }: Facts): Verdict {
  const initContainers = spec.initContainers ?? [];
  if (!statuses && initContainers.length > 0) return { status: "False", reason: "UnknownContainerStatuses" };
  const sidecars = new Set(initContainers.filter(isSidecar).map(({ name }) => name));
  const { unknown, failing } = partition(initContainers, statuses ?? [], (status) =>
    sidecars.has(status.name) ? status.started === true : status.ready,
  );
  if (phase === "Succeeded" && unknown.length === 0) return { status: "True", reason: "PodCompleted" };
  // Once a regular container has run, a restarting sidecar does not take initialization back.
  const hasStarted = spec.containers.some(({ name }) => {
    const status = statuses?.find((status) => status.name === name);
    return status?.lastState?.terminated || status?.state?.running || status?.state?.terminated;
  });
  if (hasStarted) return TRUE;
  const message = listUnready(unknown, failing, "incomplete");
  return message ? { status: "False", reason: "ContainersNotInitialized", message } : TRUE;
}

function partition(
  containers: { name: string }[],
  statuses: ContainerStatus[],
  isGood: (status: ContainerStatus) => boolean,
): { unknown: string[]; failing: string[] } {
  const unknown: string[] = [];
  const failing: string[] = [];
  for (const { name } of containers) {
    const status = statuses.find((status) => status.name === name);
    if (!status) unknown.push(name);
    else if (!isGood(status)) failing.push(name);
  }
  return { unknown, failing };
}

function listUnready(unknown: string[], failing: string[], word: "unready" | "incomplete"): string {
  return [
    ...(unknown.length > 0 ? [`containers with unknown status: [${unknown.join(" ")}]`] : []),
    ...(failing.length > 0 ? [`containers with ${word} status: [${failing.join(" ")}]`] : []),
  ].join(", ");
}

/** Keeps the time of the last change of each condition, and stamps the generation that it was made from. */
export function stampConditions(
  decided: ({ type: string; observedGeneration?: number } & Verdict)[],
  previous: PodCondition[],
  { generation, now }: { generation: number | undefined; now: string },
): PodCondition[] {
  return decided.map(({ type, status, reason, message, observedGeneration = generation }) => {
    const before = previous.find((condition) => condition.type === type);
    return {
      type,
      ...(observedGeneration !== undefined && { observedGeneration }),
      status,
      lastProbeTime: before?.lastProbeTime,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
      ...(reason && { reason }),
      ...(message && { message }),
    };
  });
}
