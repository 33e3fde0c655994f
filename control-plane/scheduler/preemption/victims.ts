import type { PodDisruptionBudget } from "../../../shared/api/types.ts";
import type { NodeInfo, PodInfo } from "../framework/node-info.ts";
import { unresolvable, type Verdict } from "../framework/plugin.ts";
import type { PodFilters } from "../framework/pod-filters.ts";
import { splitByBudget } from "./budgets.ts";
import { inOrderOfImportance } from "./importance.ts";

export const NO_VICTIMS_REASON = "No preemption victims found for incoming pod";

export interface Victims {
  /** The most important first; never empty. */
  pods: PodInfo[];
  /** How many of them a disruption budget would have kept. */
  violations: number;
}

/**
 * The fewest and least important pods of a node that must go for the pod to fit: all of lower priority are thought
 * away, then as many as possible are let back, first those that a budget protects.
 * @returns why none would help, if so
 */
export function selectVictims(
  pod: PodInfo,
  given: {
    node: NodeInfo;
    filters: PodFilters;
    nominated: readonly PodInfo[];
    budgets: readonly PodDisruptionBudget[];
  },
): Victims | Verdict {
  const { filters, nominated, budgets } = given;
  const node = given.node.copy();
  const lower = inOrderOfImportance([...node.pods].filter(({ priority }) => priority < pod.priority));
  if (lower.length === 0) return unresolvable(NO_VICTIMS_REASON);
  for (const other of lower) filters.take(other, node);
  const gone = new Set(lower);
  const verdict = filters.refusal(node, nominated)?.verdict;
  const { violating, others } = splitByBudget(lower, budgets);
  let violations = 0;
  if (!verdict) {
    for (const other of [...violating, ...others]) {
      filters.put(other, node);
      gone.delete(other);
      if (!filters.refusal(node, nominated)) continue;
      filters.take(other, node);
      gone.add(other);
      if (violating.includes(other)) violations++;
    }
  }
  // The filters' counts are of the cluster as it is: nobody has left yet.
  for (const other of gone) filters.update(other, node, 1);
  return verdict ?? { pods: lower.filter((other) => gone.has(other)), violations };
}
