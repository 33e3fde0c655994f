import { isTerminalPhase } from "../../../shared/api/pod-phase.ts";
import type { Pod, PodStatus } from "../../../shared/api/types.ts";
import { ownMember } from "../../../shared/own-member.ts";
import { AGE, type Cell, fieldColumn, NAME, type RowCondition, type TableKind, textColumn, wide } from "./column.ts";
import { since } from "./duration.ts";

type ContainerStatus = NonNullable<PodStatus["containerStatuses"]>[number];

/** What the STATUS, READY and RESTARTS columns show; also what `kubectl describe` users expect to read. */
export interface PodSummary {
  status: string;
  ready: number;
  total: number;
  restarts: number;
  /** RFC 3339; of the restarts counted. */
  lastRestart?: string;
}

interface Tally {
  restarts: number;
  lastRestart?: string;
}

function addRestarts(tally: Tally, container: ContainerStatus): void {
  tally.restarts += container.restartCount;
  const finishedAt = container.lastState?.terminated?.finishedAt;
  if (finishedAt && (!tally.lastRestart || Date.parse(finishedAt) > Date.parse(tally.lastRestart))) {
    tally.lastRestart = finishedAt;
  }
}

const hasCondition = (pod: Pod, type: string) =>
  (pod.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");

const isSidecar = (container: { restartPolicy?: string } | undefined) => container?.restartPolicy === "Always";

/** Why a container ended, in one word. */
function terminationReason(terminated: { reason?: string; signal?: number; exitCode: number }): string {
  if (terminated.reason) return terminated.reason;
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`;
}

/** The init container that is being waited for; undefined when all are done. */
function initReason(container: ContainerStatus, index: number, count: number): string {
  const { terminated, waiting } = container.state ?? {};
  if (terminated) return `Init:${terminationReason(terminated)}`;
  if (waiting?.reason && waiting.reason !== "PodInitializing") return `Init:${waiting.reason}`;
  return `Init:${index}/${count}`;
}

/** The state of a pod as kubectl shows it. The order of the rules matters: the later ones win. */
export function summarizePod(pod: Pod): PodSummary {
  const status = pod.status ?? {};
  const initContainers = pod.spec?.initContainers ?? [];
  const byName = new Map(initContainers.map((container) => [container.name, container]));
  const total = (pod.spec?.containers ?? []).length + initContainers.filter(isSidecar).length;
  let reason = status.reason || status.phase || "";
  const gated = (status.conditions ?? []).some(
    (condition) => condition.type === "PodScheduled" && condition.reason === "SchedulingGated",
  );
  if (gated) reason = "SchedulingGated";

  let ready = 0;
  let initializing = false;
  const all: Tally = { restarts: 0 };
  const sidecars: Tally = { restarts: 0 };
  for (const [index, container] of (status.initContainerStatuses ?? []).entries()) {
    const sidecar = isSidecar(byName.get(container.name));
    addRestarts(all, container);
    if (sidecar) addRestarts(sidecars, container);
    if (container.state?.terminated?.exitCode === 0) continue;
    if (sidecar && container.started) {
      if (container.ready) ready++;
      continue;
    }
    reason = initReason(container, index, initContainers.length);
    initializing = true;
    break;
  }

  let tally = all;
  if (!initializing || hasCondition(pod, "Initialized")) {
    tally = sidecars;
    let hasRunning = false;
    let errorReason = "";
    for (const container of [...(status.containerStatuses ?? [])].reverse()) {
      addRestarts(tally, container);
      const { waiting, terminated, running } = container.state ?? {};
      if (waiting?.reason) reason = waiting.reason;
      else if (terminated) {
        reason = terminationReason(terminated);
        if (terminated.exitCode !== 0) errorReason = reason;
      } else if (container.ready && running) {
        hasRunning = true;
        ready++;
      }
    }
    if (reason === "Completed") {
      if (hasRunning && hasCondition(pod, "Ready")) reason = "Running";
      else if (errorReason) reason = errorReason;
      else if (hasRunning) reason = "NotReady";
    }
  }

  if (pod.metadata.deletionTimestamp) {
    if (status.reason === "NodeLost") reason = "Unknown";
    else if (!isTerminalPhase(status.phase)) reason = "Terminating";
  }
  return { status: reason, ready, total, ...tally };
}

function readinessGates(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  return `${gates.filter((gate) => hasCondition(pod, gate.conditionType)).length}/${gates.length}`;
}

function cells(pod: Pod, nowMs: number): Cell[] {
  const { status, ready, total, restarts, lastRestart } = summarizePod(pod);
  return [
    pod.metadata.name,
    `${ready}/${total}`,
    status,
    restarts !== 0 && lastRestart ? `${restarts} (${since(lastRestart, nowMs)} ago)` : String(restarts),
    since(pod.metadata.creationTimestamp, nowMs),
    pod.status?.podIPs?.[0]?.ip || "<none>",
    pod.spec?.nodeName || "<none>",
    pod.status?.nominatedNodeName || "<none>",
    readinessGates(pod),
  ];
}

const COMPLETED: Record<string, RowCondition> = {
  Succeeded: {
    type: "Completed",
    status: "True",
    reason: "Succeeded",
    message: "The pod has completed successfully.",
  },
  Failed: { type: "Completed", status: "True", reason: "Failed", message: "The pod failed." },
};

export const POD_TABLE: TableKind<Pod> = {
  columns: [
    NAME,
    textColumn("Ready", "The aggregate readiness state of this pod for accepting traffic."),
    textColumn("Status", "The aggregate status of the containers in this pod."),
    textColumn(
      "Restarts",
      "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
    ),
    AGE,
    wide(fieldColumn("IP", "core.v1.PodStatus.podIP")),
    wide(fieldColumn("Node", "core.v1.PodSpec.nodeName")),
    wide(fieldColumn("Nominated Node", "core.v1.PodStatus.nominatedNodeName")),
    wide(fieldColumn("Readiness Gates", "core.v1.PodSpec.readinessGates")),
  ],
  cells,
  conditions: (pod) => {
    const completed = ownMember(COMPLETED, pod.status?.phase ?? "");
    return completed ? [completed] : [];
  },
};
