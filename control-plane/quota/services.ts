import type { Service } from "../../shared/api/types.ts";
import { count, type Evaluator } from "./evaluator.ts";

const NAMES = new Set(["count/services", "services", "services.nodeports", "services.loadbalancers"]);

/** Services use node ports and load balancers. Ports are counted as the Service will have them, not as they are yet. */
export const serviceEvaluator: Evaluator = {
  handles: ({ operation, subresource }) => !subresource && operation !== "DELETE",
  matching: (names) => names.filter((name) => NAMES.has(name)),
  usage(object) {
    const { type, ports = [], allocateLoadBalancerNodePorts } = (object as unknown as Service).spec ?? {};
    const isBalanced = type === "LoadBalancer";
    const takesAll = type === "NodePort" || (isBalanced && allocateLoadBalancerNodePorts !== false);
    const asked = isBalanced ? ports.filter(({ nodePort }) => nodePort).length : 0;
    return new Map([
      ["count/services", count(1)],
      ["services", count(1)],
      ["services.loadbalancers", count(isBalanced ? 1 : 0)],
      ["services.nodeports", count(takesAll ? ports.length : asked)],
    ]);
  },
  isFreed: (object, old) => (object.spec as Service["spec"])?.type !== (old.spec as Service["spec"])?.type,
};
