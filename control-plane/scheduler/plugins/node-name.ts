import { type FilterPlugin, unresolvable } from "../framework/plugin.ts";

export const REASON = "node(s) didn't match the requested node name";

/** A pod that names its node goes there or nowhere. */
export const nodeName: FilterPlugin = {
  name: "NodeName",
  filter: ({ pod }, node) => {
    const wanted = pod.spec?.nodeName;
    return !wanted || wanted === node.name ? undefined : unresolvable(REASON);
  },
};
