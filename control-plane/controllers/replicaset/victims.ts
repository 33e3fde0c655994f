import { isReady, readyCondition } from "../../../shared/api/conditions.ts";
import type { Pod } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";
import { isPodActive } from "../pod-state.ts";
import { compareRestarts, compareStages } from "../pod-usefulness.ts";

export const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

/**
 * The pods to give up first, in upstream's order (ActivePodsWithRanks): not assigned, Pending, not ready, cheap by the
 * deletion-cost annotation, crowded on their node, ready for a shorter time, more restarts, younger; times are compared
 * by their logarithm (KEP-2185), so that among pods of a similar age the choice is as good as random (by uid).
 * @param related pods of the same owner's ReplicaSets: they crowd nodes
 */
export function decideVictims(active: Pod[], related: Pod[], count: number, nowMs: number): Pod[] {
  if (count >= active.length) return [...active];
  const perNode = new Map<string, number>();
  for (const pod of related) if (isPodActive(pod)) perNode.set(nodeOf(pod), (perNode.get(nodeOf(pod)) ?? 0) + 1);
  const ranked = active.map((pod) => ({ pod, crowd: perNode.get(nodeOf(pod)) ?? 0 }));
  return ranked
    .sort((a, b) => compare(a, b, nowMs))
    .slice(0, count)
    .map(({ pod }) => pod);
}

interface Ranked {
  pod: Pod;
  crowd: number;
}

/** Negative: `a` goes first. */
function compare(a: Ranked, b: Ranked, nowMs: number): number {
  const stage = compareStages(a.pod, b.pod);
  if (stage !== 0) return stage;
  const cost = deletionCost(a.pod) - deletionCost(b.pod);
  if (cost !== 0) return cost;
  if (a.crowd !== b.crowd) return b.crowd - a.crowd;
  if (isReady(a.pod)) {
    const readyTime = compareAges(readySince(a.pod), readySince(b.pod), a.pod, b.pod, nowMs);
    if (readyTime !== 0) return readyTime;
  }
  const restarts = compareRestarts(a.pod, b.pod);
  if (restarts !== 0) return restarts;
  return compareAges(
    parseTime(a.pod.metadata.creationTimestamp),
    parseTime(b.pod.metadata.creationTimestamp),
    a.pod,
    b.pod,
    nowMs,
  );
}

/** An unknown time goes first; then the younger by powers of two, then by uid. 0 when the times are equal. */
function compareAges(aMs: number, bMs: number, a: Pod, b: Pod, nowMs: number): number {
  if (aMs === bMs || (Number.isNaN(aMs) && Number.isNaN(bMs))) return 0;
  if (Number.isNaN(aMs)) return -1;
  if (Number.isNaN(bMs)) return 1;
  const difference = ageRank(aMs, nowMs) - ageRank(bMs, nowMs);
  if (difference !== 0) return difference;
  return (a.metadata.uid ?? "") < (b.metadata.uid ?? "") ? -1 : 1;
}

/** log2 of the age in nanoseconds, as upstream measures it. */
function ageRank(sinceMs: number, nowMs: number): number {
  const ageNs = (nowMs - sinceMs) * 1e6;
  return ageNs > 0 ? Math.floor(Math.log2(ageNs)) : -1;
}

const nodeOf = (pod: Pod): string => pod.spec.nodeName ?? "";

const readySince = (pod: Pod): number => parseTime(readyCondition(pod)?.lastTransitionTime);

function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[DELETION_COST];
  return text !== undefined && /^(0|[+-]?[1-9]\d*)$/.test(text) ? Number(text) : 0;
}
