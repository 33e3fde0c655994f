import { aggregateContainerLimits } from "../../shared/api/pod-requests.ts";
import {
  compareQuantities,
  parseQuantity,
  printQuantity,
  type Quantity,
  ZERO_QUANTITY,
} from "../../shared/api/quantity.ts";
import type { Pod } from "../api/index.ts";
import { NO_DISK, type PodUsage } from "./usage.ts";

const STORAGE = "ephemeral-storage";

/**
 * Why a pod has to go for the room that it takes on the disk itself, in the kubelet's words; undefined lets it be. These
 * limits are in no cgroup (EVI-13). A container's own limit is named before the sum of all (EVI-14): where there is but
 * one, both are passed at once.
 * @param options.hasImageDisk writable layers then lie on a disk of their own, and do not count for their container
 */
export function findStorageExcess(
  pod: Pod,
  usage: PodUsage,
  { hasImageDisk }: { hasImageDisk: boolean },
): string | undefined {
  return volumeExcess(pod, usage) ?? containerExcess(pod, usage, hasImageDisk) ?? podExcess(pod, usage);
}

function volumeExcess({ spec }: Pod, { volumes }: PodUsage): string | undefined {
  for (const { name, emptyDir } of spec.volumes ?? []) {
    const used = volumes.get(name);
    const limit = emptyDir?.sizeLimit === undefined ? ZERO_QUANTITY : parseQuantity(emptyDir.sizeLimit);
    if (used && isPositive(limit) && isOver(used.bytes, limit)) {
      return `Usage of EmptyDir volume ${quote(name)} exceeds the limit ${quote(printQuantity(limit))}. `;
    }
  }
  return undefined;
}

function podExcess({ spec }: Pod, { ephemeralBytes }: PodUsage): string | undefined {
  const limit = aggregateContainerLimits(spec).get(STORAGE);
  if (!limit || !isOver(ephemeralBytes, limit)) return undefined;
  return `Pod ephemeral local storage usage exceeds the total limit of containers ${printQuantity(limit)}. `;
}

function containerExcess({ spec }: Pod, { containers }: PodUsage, hasImageDisk: boolean): string | undefined {
  for (const { name, logs = NO_DISK, rootfs = NO_DISK } of containers) {
    const text = spec.containers.find((container) => container.name === name)?.resources?.limits?.[STORAGE];
    const limit = text === undefined ? ZERO_QUANTITY : parseQuantity(text);
    const used = logs.bytes + (hasImageDisk ? 0 : rootfs.bytes);
    if (isPositive(limit) && isOver(used, limit)) {
      return `Container ${name} exceeded its local ephemeral storage limit ${quote(printQuantity(limit))}. `;
    }
  }
  return undefined;
}

const isPositive = (limit: Quantity) => compareQuantities(limit, ZERO_QUANTITY) > 0;

const isOver = (bytes: number, limit: Quantity) => BigInt(Math.trunc(bytes)) * 1_000_000_000n > limit.nanos;

/** Names and amounts hold nothing that Go's %q would escape. */
const quote = (text: string) => `"${text}"`;
