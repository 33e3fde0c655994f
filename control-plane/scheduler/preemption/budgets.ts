import { isEmptySelector, matchesLabelSelector } from "../../../shared/api/selector.ts";
import type { PodDisruptionBudget } from "../../../shared/api/types.ts";
import type { PodInfo } from "../framework/node-info.ts";

/**
 * Which of the pods could not be evicted together without breaking a disruption budget. Both lists keep the order; the
 * first pods use a budget up.
 */
export function splitByBudget(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { violating: PodInfo[]; others: PodInfo[] } {
  const left = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0);
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const info of pods) {
    let isViolating = false;
    budgets.forEach((budget, i) => {
      if (!protects(budget, info)) return;
      left[i]! -= 1;
      if (left[i]! < 0) isViolating = true;
    });
    (isViolating ? violating : others).push(info);
  }
  return { violating, others };
}

function protects({ metadata, spec, status }: PodDisruptionBudget, { pod, namespace, labels }: PodInfo): boolean {
  // Neither a budget without a selector nor one with an empty one protects anybody from preemption.
  if (metadata.namespace !== namespace || isEmptySelector(spec?.selector)) return false;
  if (Object.keys(labels ?? {}).length === 0 || !matchesLabelSelector(spec?.selector, labels)) return false;
  // An eviction under way has been taken off the budget already.
  return !Object.hasOwn(status?.disruptedPods ?? {}, pod.metadata.name);
}
