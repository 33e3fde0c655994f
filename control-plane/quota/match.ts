import type { KubeObject } from "../../shared/api/object.ts";
import { parseAmounts, type ResourceAmounts } from "../../shared/api/pod-requests.ts";
import { ZERO_QUANTITY } from "../../shared/api/quantity.ts";
import type { ResourceQuota } from "../../shared/api/types.ts";
import { addAmounts, mask } from "./amounts.ts";
import type { Evaluator, ScopeRequirement } from "./evaluator.ts";

/** Scopes and scope selectors alike. */
function requirementsOf({ spec }: ResourceQuota): ScopeRequirement[] {
  const scopes = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  return [...(scopes as ScopeRequirement[]), ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** Whether an object falls under all scopes of a quota. */
export const isInScopes = (quota: ResourceQuota, evaluator: Evaluator, object: KubeObject): boolean =>
  requirementsOf(quota).every((requirement) => evaluator.isInScope?.(requirement, object) ?? false);

/** Whether a quota limits an object, as far as its status has taken up what its spec says. */
export const limits = (quota: ResourceQuota, evaluator: Evaluator, object: KubeObject): boolean =>
  evaluator.matching(Object.keys(quota.status?.hard ?? {})).length > 0 && isInScopes(quota, evaluator, object);

/** What the objects of one resource use of a quota, zeros included. */
export function usageOf(
  quota: ResourceQuota,
  evaluator: Evaluator,
  objects: KubeObject[],
  nowMs: number,
): ResourceAmounts {
  const names = evaluator.matching([...parseAmounts(quota.spec?.hard).keys()]);
  let used: ResourceAmounts = new Map(names.map((name) => [name, ZERO_QUANTITY]));
  for (const object of objects) {
    if (isInScopes(quota, evaluator, object)) used = addAmounts(used, mask(evaluator.usage(object, nowMs), names));
  }
  return used;
}
