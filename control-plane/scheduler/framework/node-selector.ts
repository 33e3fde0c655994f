import type { Requirement } from "../../../shared/api/selector.ts";
import type { NodeSelectorRequirement } from "../../../shared/api/types.ts";

const OPERATORS: Record<string, Requirement["operator"]> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt",
};

/** @throws Error for an operator that validation would have refused */
export function requirementOf({ key, operator, values }: NodeSelectorRequirement): Requirement {
  const known = OPERATORS[operator];
  if (!known) throw new Error(`node selector operator ${operator}`);
  return { key, operator: known, values: values ?? [] };
}
