import { printTime } from "../../shared/api/timestamp.ts";
import type { NodeCondition } from "../../shared/api/types.ts";
import { printDuration } from "../../shared/print-duration.ts";
import type { RuntimeCondition } from "../cri/index.ts";

/** Where the container runtime stands, as of its last answer. */
export interface RuntimeHealth {
  /** From CRI's Status; undefined: it never answered. */
  conditions?: RuntimeCondition[];
  /** When it last answered (epoch ms). */
  answeredMs?: number;
  /** When the kubelet last had the list of all that runs (epoch ms). */
  relistedMs?: number;
  /** Whether the machine is about to go down. */
  isShuttingDown?: boolean;
}

/** Upstream's baseRuntimeSyncThreshold: a restart of the runtime shorter than this goes unnoticed. */
const RUNTIME_DOWN_MS = 30_000;
/** Upstream's genericPlegRelistThreshold. */
const RELIST_THRESHOLD_MS = 180_000;

type Verdict = Pick<NodeCondition, "status" | "reason" | "message">;

/**
 * The node's conditions in upstream's order and words. A condition keeps its transition time while its status stays.
 * @param previous what the API has
 */
export function decideConditions(
  previous: readonly NodeCondition[],
  health: RuntimeHealth,
  { nowMs, cgroupVersion, pressures }: { nowMs: number; cgroupVersion: 1 | 2; pressures: ReadonlySet<PressureType> },
): NodeCondition[] {
  const now = printTime(nowMs);
  const verdicts: [string, Verdict][] = [
    ...PRESSURE_TYPES.map((type): [string, Verdict] => [type, decidePressure(type, pressures.has(type))]),
    ["Ready", decideReady(health, nowMs)],
    ...(cgroupVersion === 1 ? [[CGROUP_V2, CGROUP_V1_VERDICT] as [string, Verdict]] : []),
  ];
  return verdicts.map(([type, verdict]) => {
    const before = previous.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === verdict.status ? (before.lastTransitionTime ?? now) : now;
    return { type, ...verdict, lastHeartbeatTime: now, lastTransitionTime };
  });
}

/** Ours; only there where it is False. */
export const CGROUP_V2 = "CgroupV2";

export const CGROUP_V1_MESSAGE =
  "this machine uses cgroup v1: pods run, but the limits of pods as a whole, the weights of QoS classes, memory.min, " +
  "memory.high, io limits, pressure stall information and killing a container as a group need cgroup v2";

const CGROUP_V1_VERDICT: Verdict = { status: "False", reason: "CgroupV1", message: CGROUP_V1_MESSAGE };

const PRESSURE_TYPES = ["MemoryPressure", "DiskPressure", "PIDPressure"] as const;
export type PressureType = (typeof PRESSURE_TYPES)[number];

const ENOUGH: Record<PressureType, [reason: string, message: string]> = {
  MemoryPressure: ["KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  DiskPressure: ["KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  PIDPressure: ["KubeletHasSufficientPID", "kubelet has sufficient PID available"],
};

const TOO_LITTLE: typeof ENOUGH = {
  MemoryPressure: ["KubeletHasInsufficientMemory", "kubelet has insufficient memory available"],
  DiskPressure: ["KubeletHasDiskPressure", "kubelet has disk pressure"],
  PIDPressure: ["KubeletHasInsufficientPID", "kubelet has insufficient PID available"],
};

function decidePressure(type: PressureType, isThere: boolean): Verdict {
  const [reason, message] = (isThere ? TOO_LITTLE : ENOUGH)[type];
  return { status: isThere ? "True" : "False", reason, message };
}

/**
 * The reasons of the events that go with conditions that have changed; the first time as well.
 * @param before what was reported, or what the API had when we came
 */
export function changeReasons(before: readonly NodeCondition[], after: readonly NodeCondition[]): string[] {
  const changed = after.filter(({ type, status }) => before.find((other) => other.type === type)?.status !== status);
  return changed.flatMap(({ type, status, reason = "" }) => {
    if (type === "Ready") return [status === "True" ? "NodeReady" : "NodeNotReady"];
    return type in ENOUGH ? [reason.replace(/^Kubelet/, "Node")] : [];
  });
}

/** @see kubelet/runtime.go for the texts */
export function decideReady(
  { conditions, answeredMs, relistedMs, isShuttingDown }: RuntimeHealth,
  nowMs: number,
): Verdict {
  const errors: string[] = [];
  if (answeredMs === undefined) errors.push("container runtime status check may not have completed yet");
  else if (nowMs - answeredMs > RUNTIME_DOWN_MS) errors.push("container runtime is down");
  const relist = whyNotListed(relistedMs, nowMs);
  if (relist !== undefined) errors.push(`PLEG is not healthy: ${relist}`);
  const runtime = conditions?.find(({ type }) => type === "RuntimeReady");
  if (runtime && !runtime.status) errors.push(`container runtime not ready: ${print(runtime)}`);
  const network = conditions?.find(({ type }) => type === "NetworkReady");
  if (network && !network.status) errors.push(`container runtime network not ready: ${print(network)}`);
  if (isShuttingDown) errors.push("node is shutting down");
  if (errors.length === 0)
    return { status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" };
  const message = errors.length === 1 ? errors[0]! : `[${errors.join(", ")}]`;
  return { status: "False", reason: "KubeletNotReady", message };
}

function whyNotListed(relistedMs: number | undefined, nowMs: number): string | undefined {
  if (relistedMs === undefined) return "pleg has yet to be successful";
  const elapsedMs = nowMs - relistedMs;
  if (elapsedMs <= RELIST_THRESHOLD_MS) return undefined;
  return `pleg was last seen active ${printDuration(elapsedMs)} ago; threshold is ${printDuration(RELIST_THRESHOLD_MS)}`;
}

const print = ({ type, status, reason, message }: RuntimeCondition) =>
  `${type}=${status} reason:${reason} message:${message}`;
