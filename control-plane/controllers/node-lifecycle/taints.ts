import { readyCondition } from "../../../shared/api/conditions.ts";
import type { Node, Taint } from "../../../shared/api/types.ts";
import { printTime } from "../../runtime/index.ts";

export const NOT_READY = "node.kubernetes.io/not-ready";
export const UNREACHABLE = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

const TAINT_OF_READY: Record<string, string> = { False: NOT_READY, Unknown: UNREACHABLE };

/** Which condition in which status is which taint. */
const TAINT_OF: Record<string, Record<string, string>> = {
  Ready: TAINT_OF_READY,
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
};

export type Eviction = "now" | "later" | "never";

const NO_SCHEDULE_KEYS = new Set([...Object.values(TAINT_OF).flatMap((by) => Object.values(by)), UNSCHEDULABLE]);
const NO_EXECUTE_KEYS = new Set([NOT_READY, UNREACHABLE]);

/**
 * The taints a node should have for its conditions; undefined when it has them. Others are left alone, and one that
 * stays keeps its timeAdded, from which evictions count.
 * @param evict whether its pods may be evicted: `never`, since no node at all is ready, takes off what there is; `later`
 *   waits for the zone's turn (zones.ts), but a node that has one of these taints may get the other one
 */
export function decideTaints(node: Node, { evict, nowMs }: { evict: Eviction; nowMs: number }): Taint[] | undefined {
  const current = node.spec?.taints ?? [];
  const wanted = wantedTaints(node, evict);
  const kept = current.filter((taint) => !isOurs(taint) || wanted.some((other) => isSame(taint, other)));
  const added = wanted
    .filter((taint) => !current.some((other) => isSame(taint, other)))
    .map((taint) => ({ ...taint, timeAdded: printTime(nowMs) }));
  return added.length === 0 && kept.length === current.length ? undefined : [...kept, ...added];
}

/** It has begun to lose its pods. */
const isEvicting = ({ spec }: Node): boolean =>
  spec?.taints?.some(({ key, effect }) => effect === "NoExecute" && NO_EXECUTE_KEYS.has(key)) ?? false;

/** Its pods have to be evicted, and nobody has begun to. */
export function awaitsEviction(node: Node): boolean {
  const status = readyCondition(node)?.status;
  return status !== undefined && status in TAINT_OF_READY && !isEvicting(node);
}

function wantedTaints(node: Node, evict: Eviction): Taint[] {
  const wanted: Taint[] = [];
  for (const { type, status } of node.status?.conditions ?? []) {
    const key = TAINT_OF[type]?.[status];
    if (key) wanted.push({ key, effect: "NoSchedule" });
  }
  if (node.spec?.unschedulable) wanted.push({ key: UNSCHEDULABLE, effect: "NoSchedule" });
  const ready = readyCondition(node);
  const key = ready && TAINT_OF.Ready?.[ready.status];
  if (key && (evict === "now" || (evict === "later" && isEvicting(node)))) wanted.push({ key, effect: "NoExecute" });
  // Nothing is known yet: the taint that the node was created with stays (TaintNodesByCondition).
  if (!ready) wanted.push(...(node.spec?.taints ?? []).filter(({ key }) => key === NOT_READY));
  return wanted;
}

const isOurs = ({ key, effect }: Taint): boolean =>
  effect === "NoSchedule" ? NO_SCHEDULE_KEYS.has(key) : effect === "NoExecute" && NO_EXECUTE_KEYS.has(key);

const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;
