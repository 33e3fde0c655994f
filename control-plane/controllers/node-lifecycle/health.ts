import { readyCondition } from "../../../shared/api/conditions.ts";
import type { Node, NodeCondition } from "../../../shared/api/types.ts";
import { parseTime, printTime } from "../../runtime/index.ts";

/** Without a sign of life for so long a node counts as lost (upstream's node-monitor-grace-period, NODE-05). */
export const GRACE_MS = 50_000;
/** A node that never said that it is ready gets so long (upstream's node-startup-grace-period). */
export const STARTUP_GRACE_MS = 60_000;

/** The conditions that become Unknown, in the order in which missing ones are added. */
const CONDITION_TYPES = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** What is known of a node's life beside the Node itself. */
export interface SignsOfLife {
  /** `spec.renewTime` of its Lease. */
  renewTime: string | undefined;
  /** When a change of the renewal or of the heartbeat was last noticed, epoch ms: nodes' clocks may be wrong. */
  noticedMs: number | undefined;
}

/** Epoch ms of the last sign of life; nothing in the future counts. */
export function lastSignMs(node: Node, { renewTime, noticedMs }: SignsOfLife, nowMs: number): number {
  const signs = [
    parseTime(node.metadata.creationTimestamp),
    parseTime(readyCondition(node)?.lastHeartbeatTime),
    parseTime(renewTime),
    noticedMs ?? Number.NaN,
  ].filter((ms) => ms <= nowMs);
  return Math.max(0, ...signs);
}

export type Health =
  | { isLost: false; recheckAfterMs: number }
  /** `conditions`: those to write, only what changes; empty when they say so already. */
  | { isLost: true; conditions: NodeCondition[] };

/** Judges a node by its last sign of life. */
export function decideHealth(node: Node, signMs: number, nowMs: number): Health {
  const expiresMs = signMs + (readyCondition(node) ? GRACE_MS : STARTUP_GRACE_MS);
  if (nowMs <= expiresMs) return { isLost: false, recheckAfterMs: expiresMs - nowMs + 1 };
  const conditions: NodeCondition[] = [];
  for (const type of CONDITION_TYPES) {
    const current = node.status?.conditions?.find((condition) => condition.type === type);
    const lastTransitionTime = printTime(nowMs);
    if (!current)
      conditions.push({
        type,
        status: "Unknown",
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
        lastHeartbeatTime: node.metadata.creationTimestamp,
        lastTransitionTime,
      });
    else if (current.status !== "Unknown")
      conditions.push({
        ...current,
        status: "Unknown",
        reason: "NodeStatusUnknown",
        message: "Kubelet stopped posting node status.",
        lastTransitionTime,
      });
  }
  return { isLost: true, conditions };
}

/** The node with these conditions in place. */
export function withConditions(node: Node, changed: NodeCondition[]): Node {
  const conditions = [...(node.status?.conditions ?? [])];
  for (const condition of changed) {
    const i = conditions.findIndex(({ type }) => type === condition.type);
    if (i < 0) conditions.push(condition);
    else conditions[i] = condition;
  }
  return { ...node, status: { ...node.status, conditions } };
}
