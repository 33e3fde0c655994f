import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import type { Pod } from "../../../shared/api/types.ts";

/** Nothing of it runs any more, as far as its node has said: it needs no volumes. */
export function hasEnded(pod: Pod): boolean {
  if (isPodTerminal(pod)) return true;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  return (
    pod.metadata.deletionTimestamp !== undefined &&
    [...initContainerStatuses, ...containerStatuses].every(({ state }) => state?.terminated !== undefined)
  );
}
