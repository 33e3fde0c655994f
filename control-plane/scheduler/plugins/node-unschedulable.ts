import { tolerates } from "../../../shared/api/toleration.ts";
import { type FilterPlugin, unresolvable } from "../framework/plugin.ts";

export const REASON = "node(s) were unschedulable";
const TAINT = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** A cordoned node takes only pods that tolerate the unschedulable taint (daemons). */
export const nodeUnschedulable: FilterPlugin = {
  name: "NodeUnschedulable",
  filter: ({ pod }, { node }) => {
    if (!node.spec?.unschedulable) return undefined;
    return tolerates(pod.spec?.tolerations ?? [], TAINT) ? undefined : unresolvable(REASON);
  },
};
