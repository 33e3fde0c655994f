import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import type { Pod } from "../../../shared/api/types.ts";

/** So many pods that have ended are kept (kube-controller-manager's --terminated-pod-gc-threshold). */
export const MAX_ENDED_PODS = 12_500;

/**
 * Those of the pods that have ended which are too many: evicted ones first, since nobody counts them, then the oldest.
 * Pods of one second go by name.
 */
export function decideEnded(pods: Pod[], limit = MAX_ENDED_PODS): Pod[] {
  const ended = pods.filter(isPodTerminal);
  if (ended.length <= limit) return [];
  return ended.sort(inOrder).slice(0, ended.length - limit);
}

const isEvicted = ({ status }: Pod): boolean => status?.phase === "Failed" && status.reason === "Evicted";

function inOrder(a: Pod, b: Pod): number {
  if (isEvicted(a) !== isEvicted(b)) return isEvicted(a) ? -1 : 1;
  return (
    compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
    compare(a.metadata.name, b.metadata.name)
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
