import { ownMember } from "../own-member.ts";
import { matchesRequirements, type Requirement } from "./selector.ts";
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from "./types.ts";

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
  const known = ownMember(OPERATORS, operator);
  if (!known) throw new Error(`node selector operator ${operator}`);
  return { key, operator: known, values: values ?? [] };
}

/** Whether spec.nodeSelector and the required node affinity both hold: the scheduler and the node ask alike. */
export function matchesNodeSelectors(
  { spec }: { spec?: Pick<PodSpec, "affinity" | "nodeSelector"> },
  node: Node,
): boolean {
  const labels = node.metadata.labels ?? {};
  const selector = spec?.nodeSelector;
  for (const key in selector) if (labels[key] !== selector[key]) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  // Terms are alternatives; the requirements of one term must all hold. No term at all matches nothing.
  return !required || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** An empty term matches no node (NodeSelectorTerm, core/v1). */
export function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length + fields.length === 0) return false;
  return (
    matchesRequirements(expressions.map(requirementOf), node.metadata.labels ?? {}) &&
    matchesRequirements(fields.map(requirementOf), { "metadata.name": node.metadata.name })
  );
}
