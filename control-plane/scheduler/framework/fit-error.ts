import type { Verdict } from "./plugin.ts";

/**
 * The text of a FailedScheduling event: reasons with the number of nodes that gave each, sorted as texts.
 * @param why the verdicts of the nodes that said no, or why no node was asked
 * @param preemption what came of looking for victims; empty when there is nothing to say
 */
export function renderFitError(nodeCount: number, why: readonly Verdict[] | string, preemption: string): string {
  if (nodeCount === 0) return "no nodes available to schedule pods";
  const reasons = typeof why === "string" ? why : histogram(why);
  const text = `0/${nodeCount} nodes are available: ${reasons}.`;
  return preemption === "" ? text : `${text} ${preemption}`;
}

function histogram(verdicts: readonly Verdict[]): string {
  const counts = new Map<string, number>();
  for (const reason of verdicts.flatMap((verdict) => verdict.reasons)) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    .join(", ");
}
