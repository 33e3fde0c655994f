import { type Json, jsonEqual } from "../../../shared/api/json.ts";
import { matchesLabelSelector } from "../../../shared/api/selector.ts";
import type { ClusterRole } from "../../../shared/api/types.ts";

type Rule = NonNullable<ClusterRole["rules"]>[number];

const isSame = (a: unknown, b: unknown) => jsonEqual(a as Json, b as Json);

/**
 * The rules that an aggregated role shall have: those of the roles its selectors take, selector by selector, by name,
 * each once. Undefined: it is none, or it has them.
 */
export function decide(role: ClusterRole, all: readonly ClusterRole[]): Rule[] | undefined {
  const { aggregationRule, metadata } = role;
  if (!aggregationRule) return undefined;
  const others = all
    .filter((other) => other.metadata?.name !== metadata?.name)
    .sort((a, b) => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1));
  const rules: Rule[] = [];
  for (const selector of aggregationRule.clusterRoleSelectors ?? []) {
    for (const other of others) {
      if (!matchesLabelSelector(selector, other.metadata?.labels)) continue;
      for (const rule of other.rules ?? []) {
        if (!rules.some((known) => isSame(known, rule))) rules.push(rule);
      }
    }
  }
  return isSame(rules, role.rules ?? []) ? undefined : rules;
}
