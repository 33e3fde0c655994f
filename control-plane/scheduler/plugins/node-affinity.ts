import { matchesNodeSelectors, matchesTerm } from "../../../shared/api/node-selector.ts";
import type { NodeSelectorTerm, Pod } from "../../../shared/api/types.ts";
import { type FilterPlugin, type ScorePlugin, scaleToMax, unresolvable } from "../framework/plugin.ts";

export const REASON = "node(s) didn't match Pod's node affinity/selector";

export const CONFLICT_REASON = "pod affinity terms conflict";

/** spec.nodeSelector and the required node affinity must both hold. */
export const nodeAffinityFilter: FilterPlugin = {
  name: "NodeAffinity",
  preFilter: ({ pod }) => {
    const names = namedNodes(pod);
    if (!names) return undefined;
    return names.size === 0 ? { never: CONFLICT_REASON } : { onlyNodes: names };
  },
  filter: ({ pod }, { node }) => (matchesNodeSelectors(pod, node) ? undefined : unresolvable(REASON)),
};

/** The sum of the weights of the preferred terms that match. */
export const nodeAffinityScore: ScorePlugin = {
  name: "NodeAffinity",
  weight: 2,
  score: ({ pod }, { node }) => {
    const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    if (!preferred) return 0;
    return preferred
      .filter(({ preference }) => matchesTerm(preference, node))
      .reduce((sum, { weight }) => sum + weight, 0);
  },
  normalize: (scores) => scaleToMax(scores, false),
};

/** The nodes that the required affinity names, as that of a daemon's pod does; undefined: some term names none. */
function namedNodes({ spec }: Pod): Set<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const term of terms) {
    const named = namedBy(term);
    if (!named) return undefined;
    for (const name of named) names.add(name);
  }
  return names;
}

function namedBy({ matchFields = [] }: NodeSelectorTerm): string[] | undefined {
  const lists = matchFields
    .filter(({ key, operator }) => key === "metadata.name" && operator === "In")
    .map(({ values = [] }) => values);
  const [first, ...others] = lists;
  return first?.filter((name) => others.every((list) => list.includes(name)));
}
