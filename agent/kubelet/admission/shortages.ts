import { effectiveRequests, parseAmounts, type ResourceAmounts } from "../../../shared/api/pod-requests.ts";
import { addQuantities, milliUnits, type Quantity, wholeUnits, ZERO_QUANTITY } from "../../../shared/api/quantity.ts";
import type { Node } from "../../../shared/api/types.ts";
import type { Pod } from "../../api/index.ts";

/** A resource of which the node has too little left; cpu in thousandths of a core, all else in whole units. */
export interface Shortage {
  resource: string;
  requested: number;
  used: number;
  capacity: number;
}

/** What the node lacks for the pod, in the scheduler's order. */
export function findShortages(pod: Pod, node: Node, others: Pod[]): Shortage[] {
  const allocatable = parseAmounts(node.status?.allocatable);
  const used = sumRequests(others);
  const wanted = effectiveRequests(pod.spec);
  const first = ["cpu", "memory", "ephemeral-storage"];
  // An extended resource that the node does not know is nobody's here: a plugin of the cluster provides it.
  const scalars = [...wanted.keys()].filter(
    (name) => !first.includes(name) && (allocatable.has(name) || !isExtended(name)),
  );
  const all = [
    {
      resource: "pods",
      requested: 1,
      used: others.length,
      capacity: wholeUnits(allocatable.get("pods") ?? ZERO_QUANTITY),
    },
    ...[...first, ...scalars.sort()].map((resource) => ({
      resource,
      requested: amountOf(wanted, resource),
      used: amountOf(used, resource),
      capacity: amountOf(allocatable, resource),
    })),
  ];
  return all.filter(({ requested, used, capacity }) => requested > 0 && requested > capacity - used);
}

/** In the unit of a Shortage. */
export function amountOf(amounts: ResourceAmounts, resource: string): number {
  const amount = amounts.get(resource) ?? ZERO_QUANTITY;
  return resource === "cpu" ? milliUnits(amount) : wholeUnits(amount);
}

/** Resources of others than Kubernetes carry a domain. */
const isExtended = (name: string) => name.includes("/") && !name.includes("kubernetes.io/");

function sumRequests(pods: Pod[]): ResourceAmounts {
  const total = new Map<string, Quantity>();
  for (const { spec } of pods) {
    for (const [name, amount] of effectiveRequests(spec)) {
      total.set(name, addQuantities(total.get(name) ?? ZERO_QUANTITY, amount));
    }
  }
  return total;
}
