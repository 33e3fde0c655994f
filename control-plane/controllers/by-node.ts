import type { Pod } from "../../shared/api/types.ts";

/** Name of the index of pods by the node they are bound to. */
export const BY_NODE = "node";

export const byNode = (pod: Pod): string[] => (pod.spec.nodeName ? [pod.spec.nodeName] : []);
