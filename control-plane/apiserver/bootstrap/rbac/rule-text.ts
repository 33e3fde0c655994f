import type { PolicyRule } from "../../authz/index.ts";

/**
 * A PolicyRule on one line: verbs, API groups (`core` is the one without a name), resources and, if only some, their
 * names; or verbs and paths. The items of a part have commas between.
 */
export type RuleText = string;

export const WRITE_EVENTS: RuleText = "create,patch,update core,events.k8s.io events";

/** @throws Error when the text has not two, three or four parts */
export function readRule(text: RuleText): PolicyRule {
  const [verbs, second, resources, resourceNames, more] = text.split(" ").map((part) => part.split(","));
  if (!verbs || !second || more) throw new Error(`not a rule: ${text}`);
  if (!resources) return { verbs, nonResourceURLs: second };
  const apiGroups = second.map((group) => (group === "core" ? "" : group));
  return { verbs, apiGroups, resources, ...(resourceNames ? { resourceNames } : {}) };
}
