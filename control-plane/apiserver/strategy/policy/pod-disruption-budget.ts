import { invalidValue, notSupported } from "../../../../shared/api/field-error.ts";
import { nameIsPathSegment } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { PodDisruptionBudget } from "../../../../shared/api/types.ts";
import { checkAtMostAll, checkIntOrPercent, checkNotNegative } from "../counts.ts";
import { checkLabelSelector, printSelector } from "../label-selector.ts";
import type { Strategy } from "../strategy.ts";

const EVICTION_POLICIES = ["AlwaysAllow", "IfHealthyBudget"];

function validate({ spec = {} }: PodDisruptionBudget): StatusCause[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const causes: StatusCause[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const printed = {
      MinAvailable: minAvailable,
      Selector: printSelector(selector),
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    };
    causes.push(invalidValue("spec", printed, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const [name, value] of Object.entries({ minAvailable, maxUnavailable })) {
    causes.push(...checkIntOrPercent(value, `spec.${name}`), ...checkAtMostAll(value, `spec.${name}`));
  }
  causes.push(...checkLabelSelector(selector, "spec.selector"));
  if (policy !== undefined && !EVICTION_POLICIES.includes(policy)) {
    causes.push(notSupported("spec.unhealthyPodEvictionPolicy", policy, EVICTION_POLICIES));
  }
  return causes;
}

const COUNTS = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const;

export const POD_DISRUPTION_BUDGET_STRATEGY: Strategy<PodDisruptionBudget> = {
  requiresResourceVersion: true,
  // Its own rules leave ObjectMeta alone: what holds for all kinds is all there is.
  nameRule: nameIsPathSegment,
  allowsAnyFinalizer: true,
  prepareForCreate: (budget) => {
    budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  validate,
  validateStatusUpdate: ({ status }) => COUNTS.flatMap((name) => checkNotNegative(status?.[name], `status.${name}`)),
};
