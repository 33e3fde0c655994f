import { type AdmissionPlugin, specOf, targetOf } from "../plugin.ts";

const NOT_READY = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** A new node takes no pods before the node lifecycle controller has seen it ready and takes this taint off. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",

  admit({ operation, attributes, object }) {
    if (operation !== "CREATE" || targetOf(attributes) !== "nodes") return;
    const spec = specOf(object!) as { taints?: { key: string; effect: string }[] };
    const taints = spec.taints ?? [];
    if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return;
    spec.taints = [...taints, { ...NOT_READY }];
  },
};
