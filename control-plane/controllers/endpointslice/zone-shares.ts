import { isReady } from "../../../shared/api/conditions.ts";
import { parseQuantity } from "../../../shared/api/quantity.ts";
import type { Node } from "../../../shared/api/types.ts";

export const ZONE = "topology.kubernetes.io/zone";
const CONTROL_PLANE = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/** Zone to its part of the whole, 0 to 1. */
export type ZoneShares = ReadonlyMap<string, number>;

/**
 * What part of the ready nodes' allocatable CPU each zone has. Undefined where a node says too little, or there are not
 * two zones.
 */
export function zoneShares(nodes: Node[]): ZoneShares | undefined {
  const cpus = new Map<string, number>();
  let total = 0;
  for (const node of nodes) {
    const { labels = {} } = node.metadata;
    if (CONTROL_PLANE.some((label) => label in labels) || !isReady(node)) continue;
    const cpu = cpuOf(node);
    const zone = labels[ZONE];
    if (!zone || cpu === 0) return undefined;
    cpus.set(zone, (cpus.get(zone) ?? 0) + cpu);
    total += cpu;
  }
  if (cpus.size < 2) return undefined;
  return new Map([...cpus].map(([zone, cpu]) => [zone, cpu / total]));
}

/** Whether a node's part in this changed. */
export const isSameShare = (a: Node, b: Node): boolean =>
  isReady(a) === isReady(b) && cpuOf(a) === cpuOf(b) && a.metadata.labels?.[ZONE] === b.metadata.labels?.[ZONE];

/** Thousandths of a core. */
const cpuOf = ({ status }: Node): number =>
  Number(parseQuantity(String(status?.allocatable?.["cpu"] ?? "0")).nanos / 1_000_000n);
