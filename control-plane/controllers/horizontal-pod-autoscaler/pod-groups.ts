import { readyCondition } from "../../../shared/api/conditions.ts";
import type { Pod } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";

/** A pod that started less long ago must have been ready for a whole window of its metric (upstream's default). */
const CPU_INITIALIZATION_MS = 5 * 60_000;
/** A pod that stopped being ready within this time after its start was never ready yet (upstream's default). */
const INITIAL_READINESS_MS = 30_000;

/** One pod's reading. */
export interface PodMetric {
  /** In thousandths of the metric's unit. */
  milli: number;
  timestampMs: number;
  windowMs: number;
}

/** By the pod's name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** Names of pods; ready ones are only counted. */
export interface PodGroups {
  readyCount: number;
  /** They may not show their usual load yet. */
  unready: Set<string>;
  /** They should have a reading, and have none. */
  missing: Set<string>;
  /** On their way out. */
  ignored: Set<string>;
}

/** Which pods a reading can be trusted of. Only for `cpu` it matters how long a pod has been ready. */
export function groupPods(pods: readonly Pod[], metrics: PodMetrics, resource: string, nowMs: number): PodGroups {
  const groups: PodGroups = { readyCount: 0, unready: new Set(), missing: new Set(), ignored: new Set() };
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const metric = metrics.get(name);
    if (deletionTimestamp || pod.status?.phase === "Failed") groups.ignored.add(name);
    else if (pod.status?.phase === "Pending") groups.unready.add(name);
    else if (!metric) groups.missing.add(name);
    else if (resource === "cpu" && !isSettled(pod, metric, nowMs)) groups.unready.add(name);
    else groups.readyCount += 1;
  }
  return groups;
}

function isSettled(pod: Pod, metric: PodMetric, nowMs: number): boolean {
  const ready = readyCondition(pod);
  const startTime = pod.status?.startTime;
  if (!ready || !startTime) return false;
  const startMs = parseTime(startTime);
  const changedMs = parseTime(ready.lastTransitionTime);
  if (startMs + CPU_INITIALIZATION_MS > nowMs)
    return ready.status !== "False" && metric.timestampMs >= changedMs + metric.windowMs;
  return ready.status !== "False" || startMs + INITIAL_READINESS_MS <= changedMs;
}
