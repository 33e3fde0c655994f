import { isReady } from "../../../shared/api/conditions.ts";
import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import type { Node, Pod } from "../../../shared/api/types.ts";

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** Why nobody else will end a pod's life. */
export type Reason = "nodeIsGone" | "neverScheduled" | "outOfService";

/**
 * Whether a pod must be removed by force, as no kubelet will ever confirm its end; undefined: it is none of our matter.
 * @param node the one it is bound to, if there is such a node
 */
export function decide(pod: Pod, node: Node | undefined): Reason | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = pod.metadata;
  const isTerminating = !!deletionTimestamp;
  // All was done: it now waits for its finalizers alone.
  if (isTerminating && deletionGracePeriodSeconds === 0 && finalizers.length > 0 && isPodTerminal(pod))
    return undefined;
  if (!pod.spec.nodeName) return isTerminating ? "neverScheduled" : undefined;
  if (!node) return "nodeIsGone";
  const isOut = node.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) && !isReady(node);
  return isTerminating && isOut ? "outOfService" : undefined;
}
