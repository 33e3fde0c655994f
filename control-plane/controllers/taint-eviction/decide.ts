import { tolerates } from "../../../shared/api/toleration.ts";
import type { Pod, Taint, Toleration } from "../../../shared/api/types.ts";

export const noExecuteTaints = (taints: Taint[] | undefined): Taint[] =>
  (taints ?? []).filter(({ effect }) => effect === "NoExecute");

/**
 * When a pod has to leave its node (epoch ms); undefined: never. A taint it does not tolerate sends it away at once; of
 * several tolerationSeconds the shortest counts, from when the taint was put on. Pods that have ended go, too.
 * @param addedMs when a taint was put on
 */
export function decideEviction(pod: Pod, taints: Taint[], addedMs: (taint: Taint) => number): number | undefined {
  if (pod.metadata.deletionTimestamp) return undefined;
  const tolerations = pod.spec.tolerations ?? [];
  let evictAtMs: number | undefined;
  for (const taint of taints) {
    const used = tolerations.filter((toleration) => tolerates([toleration], taint));
    const seconds = used.length === 0 ? 0 : shortest(used);
    if (seconds === undefined) continue;
    const atMs = addedMs(taint) + seconds * 1000;
    if (evictAtMs === undefined || atMs < evictAtMs) evictAtMs = atMs;
  }
  return evictAtMs;
}

/** Undefined: it tolerates the taint for ever. Negative means 0. */
function shortest(tolerations: Toleration[]): number | undefined {
  const limits = tolerations.map(({ tolerationSeconds }) => tolerationSeconds).filter((s) => s !== undefined);
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits));
}
