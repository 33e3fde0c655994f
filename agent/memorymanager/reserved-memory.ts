import { parseAmounts } from "../../shared/api/pod-requests.ts";
import {
  addQuantities,
  compareQuantities,
  printQuantity,
  type Quantity,
  wholeUnits,
  ZERO_QUANTITY,
} from "../../shared/api/quantity.ts";
import type { MemoryNode, Reserved } from "./memory-tables.ts";

/** reservedMemory of a KubeletConfiguration. */
export type ReservedMemory = readonly { numaNode: number; limits: Readonly<Record<string, string>> }[];

const isMemory = (type: string) => type === "memory" || type.startsWith("hugepages-");

/**
 * What of each node is the system's.
 * @param kept amounts that pods do not get by the node's allocatable: they have to be the same in all
 * @throws Error in upstream's words
 */
export function parseReservedMemory(
  reservedMemory: ReservedMemory,
  machine: readonly MemoryNode[],
  kept: readonly Readonly<Record<string, string>>[],
): Reserved {
  const total = new Map<string, Quantity>();
  const add = (sums: Map<string, Quantity>, type: string, amount: Quantity) =>
    sums.set(type, addQuantities(sums.get(type) ?? ZERO_QUANTITY, amount));
  const byNode = new Map<number, Record<string, number>>();
  for (const { numaNode, limits } of reservedMemory) {
    if (!machine.some(({ node }) => node === numaNode)) {
      throw new Error(
        `the reserved memory configuration references a NUMA node ${numaNode} that does not exist on this machine`,
      );
    }
    for (const [type, amount] of parseAmounts(limits)) {
      add(total, type, amount);
      byNode.set(numaNode, { ...byNode.get(numaNode), [type]: wholeUnits(amount) });
    }
  }
  const ofNode = new Map<string, Quantity>();
  for (const amounts of kept) {
    for (const [type, amount] of parseAmounts(amounts)) if (isMemory(type)) add(ofNode, type, amount);
  }
  for (const type of new Set([...total.keys(), ...ofNode.keys()])) {
    const [here, there] = [total.get(type) ?? ZERO_QUANTITY, ofNode.get(type) ?? ZERO_QUANTITY];
    if (compareQuantities(here, there) === 0) continue;
    throw new Error(
      `the total amount "${printQuantity(here)}" of type "${type}" is not equal to the value "${printQuantity(there)}" determined by Node Allocatable feature`,
    );
  }
  if (wholeUnits(total.get("memory") ?? ZERO_QUANTITY) <= 0) {
    throw new Error("[memorymanager] you should specify the system reserved memory");
  }
  return byNode;
}
