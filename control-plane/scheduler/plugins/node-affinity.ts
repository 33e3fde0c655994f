import { matchesNodeSelectors, matchesTerm } from "../../../shared/api/node-selector.ts";
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
