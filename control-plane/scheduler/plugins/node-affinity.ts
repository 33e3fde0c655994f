import { matchesRequirements } from "../../../shared/api/selector.ts";
import type { Node, NodeSelectorTerm, Pod } from "../../../shared/api/types.ts";
import { requirementOf } from "../framework/node-selector.ts";
import { type FilterPlugin, type ScorePlugin, scaleToMax, unresolvable } from "../framework/plugin.ts";

export const REASON = "node(s) didn't match Pod's node affinity/selector";

/** spec.nodeSelector and the required node affinity must both hold. */
export const nodeAffinityFilter: FilterPlugin = {
  name: "NodeAffinity",
  filter: ({ pod }, { node }) => (matchesNodeSelectors(pod, node) ? undefined : unresolvable(REASON)),
};

/** The sum of the weights of the preferred terms that match. */
export const nodeAffinityScore: ScorePlugin = {
  name: "NodeAffinity",
  weight: 2,
  score: ({ pod }, { node }) => {
    const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    return preferred
      .filter(({ preference }) => matchesTerm(preference, node))
      .reduce((sum, { weight }) => sum + weight, 0);
  },
  normalize: (scores) => scaleToMax(scores, false),
};

export function matchesNodeSelectors({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(spec?.nodeSelector ?? {});
  if (!selector.every(([key, value]) => labels[key] === value)) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  // Terms are alternatives; the requirements of one term must all hold. No term at all matches nothing.
  return !required || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** An empty term matches no node (NodeSelectorTerm, core/v1). */
function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length + fields.length === 0) return false;
  return (
    matchesRequirements(expressions.map(requirementOf), node.metadata.labels ?? {}) &&
    matchesRequirements(fields.map(requirementOf), { "metadata.name": node.metadata.name })
  );
}
