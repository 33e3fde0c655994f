import { parseTime } from "../../runtime/index.ts";
import type { NodeInfo, PodInfo } from "../framework/node-info.ts";
import type { Victims } from "./victims.ts";

/** A node that would take the pod without these victims. */
export interface Candidate extends Victims {
  node: NodeInfo;
}

/** Makes priorities positive, so that of two pods of negative priority one alone costs less. */
const PRIORITY_OFFSET = 2 ** 31;

/** Less is better; the next is only asked where the ones before see no difference. */
const COSTS: readonly ((candidate: Candidate, nowMs: number) => number)[] = [
  ({ violations }) => violations,
  ({ pods }) => pods[0]!.priority,
  ({ pods }) => pods.reduce((sum, { priority }) => sum + priority + PRIORITY_OFFSET, 0),
  ({ pods }) => pods.length,
  ({ pods }, nowMs) => -earliestStartMs(pods, nowMs),
];

/**
 * Where eviction does the least harm: fewest broken budgets, lowest highest priority, least sum of priorities, fewest
 * pods, and those of the highest priority that were started last.
 * @param candidates at least one; of equals the first is taken
 * @param nowMs epoch ms, for pods that were not started
 */
export function pickCandidate(candidates: readonly Candidate[], nowMs: number): Candidate {
  let best = candidates;
  for (const costOf of COSTS) {
    if (best.length === 1) break;
    const costs = best.map((candidate) => costOf(candidate, nowMs));
    const least = costs.reduce((a, b) => Math.min(a, b));
    best = best.filter((_candidate, i) => costs[i] === least);
  }
  return best[0]!;
}

function earliestStartMs(pods: readonly PodInfo[], nowMs: number): number {
  const highest = pods[0]!.priority;
  return pods
    .filter(({ priority }) => priority === highest)
    .reduce((earliest, { pod }) => Math.min(earliest, parseTime(pod.status?.startTime) || nowMs), Number.MAX_VALUE);
}
