import { readyCondition } from "../../../shared/api/conditions.ts";
import type { Pod } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";

/**
 * When a pod ended (epoch ms), by the best sign there is: its containers' last end, its end of readiness, its deletion,
 * its creation.
 */
export function finishedAtMs(pod: Pod): number {
  const ready = readyCondition(pod);
  const times = [
    lastContainerEndMs(pod),
    ready?.status === "False" ? parseTime(ready.lastTransitionTime) : Number.NaN,
    parseTime(pod.metadata.deletionTimestamp) - (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000,
    parseTime(pod.metadata.creationTimestamp),
  ];
  return times.find((ms) => !Number.isNaN(ms)) ?? 0;
}

/** NaN while one of them has no end; of init containers only sidecars count. */
function lastContainerEndMs({ spec, status }: Pod): number {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const sidecarNames = new Set(sidecars.map(({ name }) => name));
  const statuses = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecarNames.has(name)),
  ];
  if (statuses.length === 0) return Number.NaN;
  return Math.max(...statuses.map(({ state }) => parseTime(state?.terminated?.finishedAt)));
}
