import { isReady, readyCondition } from "../../shared/api/conditions.ts";
import type { Pod } from "../../shared/api/types.ts";
import { parseTime } from "../runtime/index.ts";

const PHASE_ORDER: Record<string, number> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * Orders pods so that what is given up first comes first (upstream's ActivePods): not assigned, Pending, not ready, ready
 * for a shorter time, more restarts, younger.
 */
export function byUsefulness(a: Pod, b: Pod): number {
  return compareStages(a, b) || compareTimes(readySince(a), readySince(b)) || compareRestarts(a, b) || byAge(a, b);
}

/** How far a pod has come: unassigned, Pending, not ready; 0 for two that have come equally far. Negative: `a` first. */
export function compareStages(a: Pod, b: Pod): number {
  return (
    Number(!!a.spec.nodeName) - Number(!!b.spec.nodeName) ||
    phaseOrder(a) - phaseOrder(b) ||
    Number(isReady(a)) - Number(isReady(b))
  );
}

/** The pod that restarted more comes first; sidecars are compared after the others. */
export function compareRestarts(a: Pod, b: Pod): number {
  return maxRestarts(b) - maxRestarts(a) || maxSidecarRestarts(b) - maxSidecarRestarts(a);
}

const byAge = (a: Pod, b: Pod): number =>
  compareTimes(parseTime(a.metadata.creationTimestamp), parseTime(b.metadata.creationTimestamp));

/** Later times first, unknown ones before all. */
function compareTimes(aMs: number, bMs: number): number {
  if (aMs === bMs || (Number.isNaN(aMs) && Number.isNaN(bMs))) return 0;
  if (Number.isNaN(aMs)) return -1;
  return Number.isNaN(bMs) ? 1 : bMs - aMs;
}

const readySince = (pod: Pod): number => (isReady(pod) ? parseTime(readyCondition(pod)?.lastTransitionTime) : 0);

const phaseOrder = (pod: Pod): number => PHASE_ORDER[pod.status?.phase ?? ""] ?? 0;

function maxRestarts(pod: Pod): number {
  return Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount ?? 0));
}

function maxSidecarRestarts(pod: Pod): number {
  const sidecars = new Set(
    (pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === "Always").map((c) => c.name),
  );
  const statuses = (pod.status?.initContainerStatuses ?? []).filter((status) => sidecars.has(status.name));
  return Math.max(0, ...statuses.map((status) => status.restartCount ?? 0));
}
