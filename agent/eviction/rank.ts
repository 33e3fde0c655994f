import { effectiveRequests } from "../../shared/api/pod-requests.ts";
import { wholeUnits, ZERO_QUANTITY } from "../../shared/api/quantity.ts";
import type { Pod } from "../api/index.ts";
import { FACTS, type Signal } from "./signals.ts";
import { addDisk, type DiskUsage, NO_DISK, type PodUsage } from "./usage.ts";

export type UsageOf = (pod: Pod) => PodUsage | undefined;

/** Negative: `a` is to go before `b`. */
type Order = (a: Pod, b: Pod) => number;

/**
 * The pods in the order in which they are evicted for a signal: those that use more than they asked for, then the lower
 * priority, then the most over its request. The QoS class is no key (EVI-06): it follows from the requests. What cannot be
 * measured goes first.
 * @param options.hasImageDisk whether images and writable layers lie on a disk of their own
 */
export function rankPods(
  pods: readonly Pod[],
  signal: Signal,
  { usageOf, hasImageDisk }: { usageOf: UsageOf; hasImageDisk: boolean },
): Pod[] {
  const orders = ordersFor(signal, usageOf, hasImageDisk);
  return pods.toSorted((a, b) => orders.reduce((order, next) => order || next(a, b), 0));
}

function ordersFor(signal: Signal, usageOf: UsageOf, hasImageDisk: boolean): Order[] {
  const { resource } = FACTS[signal];
  if (resource === "pids") return [byPriority, most(usageOf, (_pod, { processes }) => processes)];
  if (resource === "memory") {
    const excess = (pod: Pod, { memoryBytes }: PodUsage) => memoryBytes - requestOf(pod, "memory");
    return [exceedingFirst(usageOf, excess), byPriority, most(usageOf, excess)];
  }
  const parts = diskParts(signal, hasImageDisk);
  const used = (pod: Pod, usage: PodUsage) => {
    const { bytes, inodes } = measureDisk(pod, usage, parts);
    return resource === "inodes" ? inodes : bytes;
  };
  return [
    exceedingFirst(usageOf, (pod, usage) => used(pod, usage) - requestOf(pod, resource)),
    byPriority,
    // Inodes too are held against the request for storage: the kubelet's own, and nobody can ask for inodes.
    most(usageOf, (pod, usage) => used(pod, usage) - requestOf(pod, "ephemeral-storage")),
  ];
}

interface DiskParts {
  rootfs: boolean;
  logs: boolean;
  volumes: boolean;
}

/** Only what lies on the disk that is short of room. */
function diskParts(signal: Signal, hasImageDisk: boolean): DiskParts {
  if (!hasImageDisk) return { rootfs: true, logs: true, volumes: true };
  return signal.startsWith("imagefs.")
    ? { rootfs: true, logs: false, volumes: false }
    : { rootfs: false, logs: true, volumes: true };
}

function measureDisk({ spec }: Pod, { containers, volumes }: PodUsage, parts: DiskParts): DiskUsage {
  const ofContainers = containers.reduce(
    (sum, { rootfs, logs }) => addDisk(addDisk(sum, parts.rootfs ? rootfs : NO_DISK), parts.logs ? logs : NO_DISK),
    NO_DISK,
  );
  if (!parts.volumes) return ofContainers;
  return (spec.volumes ?? [])
    .filter(isOnNodeDisk)
    .reduce((sum, { name }) => addDisk(sum, volumes.get(name)), ofContainers);
}

/** The volumes that take room on the node's disk and go with the pod. */
export const isOnNodeDisk = ({ emptyDir, configMap }: NonNullable<Pod["spec"]["volumes"]>[number]): boolean =>
  (emptyDir !== undefined && emptyDir.medium !== "Memory") || configMap !== undefined;

const requestOf = ({ spec }: Pod, resource: string): number =>
  wholeUnits(effectiveRequests(spec).get(resource) ?? ZERO_QUANTITY);

const byPriority: Order = (a, b) => (a.spec.priority ?? 0) - (b.spec.priority ?? 0);

const exceedingFirst = (usageOf: UsageOf, excess: (pod: Pod, usage: PodUsage) => number): Order =>
  measured(usageOf, (a, b) => Number(b > 0) - Number(a > 0), excess);

const most = (usageOf: UsageOf, amount: (pod: Pod, usage: PodUsage) => number): Order =>
  measured(usageOf, (a, b) => b - a, amount);

function measured(
  usageOf: UsageOf,
  compare: (a: number, b: number) => number,
  amount: (pod: Pod, usage: PodUsage) => number,
): Order {
  return (a, b) => {
    const [ofA, ofB] = [usageOf(a), usageOf(b)];
    if (!ofA || !ofB) return Number(ofA !== undefined) - Number(ofB !== undefined);
    return compare(amount(a, ofA), amount(b, ofB));
  };
}
