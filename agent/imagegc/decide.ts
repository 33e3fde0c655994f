import type { Image } from "../cri/index.ts";

export interface ImageGcPolicy {
  /** From this share of the disk in use images are removed, until it is down to the lower one: percent. */
  highPercent: number;
  lowPercent: number;
  /** What was pulled a moment ago is about to be used. */
  minAgeMs: number;
  /** What was not used for so long goes, however much room there is; 0 lets it stay. */
  maxAgeMs: number;
}

/** What is known of one image: the kubelet's imageRecord. */
export interface ImageRecord {
  firstSeenMs: number;
  /** 0 when no container was seen with it. */
  lastUsedMs: number;
  bytes: number;
  isPinned: boolean;
}

export interface UnusedImage extends ImageRecord {
  id: string;
}

export interface Disk {
  capacityBytes: number;
  availableBytes: number;
}

export const isGcDisabled = ({ highPercent, maxAgeMs }: ImageGcPolicy): boolean =>
  highPercent === 100 && maxAgeMs === 0;

/** The records after a look at the runtime: what is there is known since now at the latest, what is gone is forgotten. */
export function recordImages(
  known: ReadonlyMap<string, ImageRecord>,
  images: readonly Image[],
  { inUse, nowMs }: { inUse: ReadonlySet<string>; nowMs: number },
): Map<string, ImageRecord> {
  return new Map(
    images.map(({ id, size, pinned }) => {
      const { firstSeenMs = nowMs, lastUsedMs = 0 } = known.get(id) ?? {};
      return [id, { firstSeenMs, lastUsedMs: inUse.has(id) ? nowMs : lastUsedMs, bytes: size, isPinned: pinned }];
    }),
  );
}

/** Those that may be removed, the longest unused first; of two alike the one that was seen first. */
export const removalOrder = (records: ReadonlyMap<string, ImageRecord>, inUse: ReadonlySet<string>): UnusedImage[] =>
  [...records]
    .filter(([id, { isPinned }]) => !isPinned && !inUse.has(id))
    .map(([id, record]) => ({ id, ...record }))
    .sort((a, b) => a.lastUsedMs - b.lastUsedMs || a.firstSeenMs - b.firstSeenMs);

/**
 * Unused for longer than the policy allows. Not before the agent has itself looked on for as long: it does not know what
 * was used before.
 */
export function isTooOld(
  { lastUsedMs }: UnusedImage,
  { maxAgeMs }: ImageGcPolicy,
  { nowMs, startedMs }: { nowMs: number; startedMs: number },
): boolean {
  return maxAgeMs > 0 && nowMs - startedMs > maxAgeMs && nowMs - lastUsedMs > maxAgeMs;
}

export const isOldEnough = ({ firstSeenMs }: UnusedImage, { minAgeMs }: ImageGcPolicy, nowMs: number): boolean =>
  nowMs - firstSeenMs >= minAgeMs;

/** @returns undefined while the disk is below the upper threshold */
export function decideGoal(
  { capacityBytes, availableBytes }: Disk,
  { highPercent, lowPercent }: ImageGcPolicy,
): { usedPercent: number; bytesToFree: number } | undefined {
  const available = Math.min(availableBytes, capacityBytes);
  const usedPercent = 100 - Math.floor((available * 100) / capacityBytes);
  if (usedPercent < highPercent) return undefined;
  return { usedPercent, bytesToFree: Math.floor((capacityBytes * (100 - lowPercent)) / 100) - available };
}

/** The kubelet's words when images alone do not give the room. */
export const printShortfall = (usedPercent: number, capacityBytes: number, freedBytes: number): string =>
  `Insufficient free disk space on the node's image filesystem (${usedPercent}% of ${printSize(capacityBytes)} used). ` +
  `Failed to free sufficient space by deleting unused images (freed ${freedBytes} bytes). ` +
  "Investigate disk usage, as it could be used by active images, logs, volumes, or other data.";

const UNITS = ["KiB", "MiB", "GiB", "TiB"];

export function printSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}
