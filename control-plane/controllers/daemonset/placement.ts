import { matchesNodeSelectors } from "../../../shared/api/node-selector.ts";
import { tolerates } from "../../../shared/api/toleration.ts";
import type { DaemonSet, Node } from "../../../shared/api/types.ts";
import { daemonSpec } from "./pod.ts";

export interface Placement {
  /** A pod of the set is to be made on the node, if there is none. */
  shouldRun: boolean;
  /** One that is there may stay. */
  mayStay: boolean;
}

/**
 * Whether a set's pod belongs on a node: by name, selector and required affinity, and taints. A taint that keeps new
 * pods out leaves those there that run already; NoExecute does not.
 */
export function decidePlacement(set: DaemonSet, node: Node): Placement {
  const spec = daemonSpec(set);
  const { nodeName } = spec;
  if ((nodeName && nodeName !== node.metadata.name) || !matchesNodeSelectors({ spec }, node))
    return { shouldRun: false, mayStay: false };
  const refused = (node.spec?.taints ?? []).filter((taint) => !tolerates(spec.tolerations ?? [], taint));
  const isRefused = (...effects: string[]) => refused.some(({ effect }) => effects.includes(effect));
  return { shouldRun: !isRefused("NoExecute", "NoSchedule"), mayStay: !isRefused("NoExecute") };
}
