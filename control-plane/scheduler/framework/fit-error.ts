import type { Verdict } from "./plugin.ts";

/**
 * The text of a FailedScheduling event: reasons with the number of nodes that gave each, sorted as texts.
 * @param verdicts of the nodes that said no
 * @param preemption what came of looking for victims; empty when it was not tried
 */
export function renderFitError(nodeCount: number, verdicts: Verdict[], preemption: string): string {
  if (nodeCount === 0) return "no nodes available to schedule pods";
  const text = `0/${nodeCount} nodes are available: ${histogram(verdicts)}.`;
  return preemption === "" ? text : `${text} ${preemption}`;
}

/**
 * Where pods of lower priority could be removed it is worth a try; where even an empty node would refuse, it is not.
 * Taking victims is not built yet, so the first kind reports that none were found.
 */
export function renderPreemption(nodeCount: number, verdicts: Verdict[], preemptionPolicy: string | undefined): string {
  if (preemptionPolicy === "Never") return "preemption: not eligible due to preemptionPolicy=Never.";
  const outcomes = verdicts.map(({ unresolvable }) => ({
    unresolvable,
    reasons: [
      unresolvable ? "Preemption is not helpful for scheduling" : "No preemption victims found for incoming pod",
    ],
  }));
  return `preemption: ${renderFitError(nodeCount, outcomes, "")}`;
}

function histogram(verdicts: Verdict[]): string {
  const counts = new Map<string, number>();
  for (const reason of verdicts.flatMap((verdict) => verdict.reasons)) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    .join(", ");
}
