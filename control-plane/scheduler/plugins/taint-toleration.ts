import { tolerates } from "../../../shared/api/toleration.ts";
import { type FilterPlugin, type ScorePlugin, scaleToMax, unresolvable } from "../framework/plugin.ts";

export const REASON = "node(s) had untolerated taint(s)";

/** NoSchedule and NoExecute taints keep out pods that do not tolerate them. */
export const taintTolerationFilter: FilterPlugin = {
  name: "TaintToleration",
  filter: ({ pod }, { node }) => {
    if (!node.spec?.taints) return undefined;
    const hard = node.spec.taints.filter((t) => t.effect === "NoSchedule" || t.effect === "NoExecute");
    const tolerations = pod.spec?.tolerations ?? [];
    return hard.every((taint) => tolerates(tolerations, taint)) ? undefined : unresolvable(REASON);
  },
};

/** The fewer PreferNoSchedule taints that the pod does not tolerate, the better. */
export const taintTolerationScore: ScorePlugin = {
  name: "TaintToleration",
  weight: 3,
  score: ({ pod }, { node }) => {
    if (!node.spec?.taints) return 0;
    const tolerations = (pod.spec?.tolerations ?? []).filter((t) => !t.effect || t.effect === "PreferNoSchedule");
    const soft = node.spec.taints.filter((t) => t.effect === "PreferNoSchedule");
    return soft.filter((taint) => !tolerates(tolerations, taint)).length;
  },
  normalize: (scores) => scaleToMax(scores, true),
};
