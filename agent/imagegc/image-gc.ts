import { messageOf } from "../../shared/message-of.ts";
import { type CriClient, ignoreNotFound } from "../cri/index.ts";
import {
  type Disk,
  decideGoal,
  type ImageGcPolicy,
  type ImageRecord,
  isOldEnough,
  isTooOld,
  printShortfall,
  recordImages,
  removalOrder,
  type UnusedImage,
} from "./decide.ts";

export interface ImageGcDeps {
  cri: Pick<CriClient, "listImages" | "listContainers" | "removeImage">;
  policy: ImageGcPolicy;
  /** The disk that the runtime's images are on. */
  disk(): Promise<Disk>;
  /** Names of images that are never removed: the sandboxes', which runtimes before containerd 1.7 do not pin. */
  spared(): Promise<readonly string[]>;
  nowMs(): number;
  /** As an event of the node. */
  onWarning(reason: "InvalidDiskCapacity" | "FreeDiskSpaceFailed", message: string): void;
  /** After a removal: the images that are left. */
  onRemaining(ids: string[]): Promise<void>;
}

export interface ImageGc {
  /** Looks which images are in use, to know later how long they were not. */
  look(): Promise<void>;
  /** @throws Error when there is too little room, or an image cannot be removed */
  collect(): Promise<void>;
  /** All that may go, as the disk is under pressure. @throws Error when an image cannot be removed */
  removeUnused(): Promise<void>;
}

export function createImageGc(deps: ImageGcDeps): ImageGc {
  const { cri, policy, nowMs } = deps;
  const startedMs = nowMs();
  let records: ReadonlyMap<string, ImageRecord> = new Map();

  async function look(): Promise<UnusedImage[]> {
    const [images, containers, spared] = await Promise.all([cri.listImages(), cri.listContainers(), deps.spared()]);
    const inUse = new Set(containers.flatMap(({ imageId, imageRef }) => [imageId, imageRef]));
    for (const { id, repoTags } of images) if (repoTags.some((tag) => spared.includes(tag))) inUse.add(id);
    records = recordImages(records, images, { inUse, nowMs: nowMs() });
    return removalOrder(records, inUse);
  }

  /** Carries on when one cannot be removed. @throws Error that names all that could not */
  async function remove(images: UnusedImage[], { upToBytes }: { upToBytes: number }, what: string): Promise<number> {
    const failures: string[] = [];
    const gone = new Set<string>();
    let freedBytes = 0;
    for (const { id, bytes } of images) {
      if (freedBytes >= upToBytes) break;
      try {
        await cri.removeImage(id).catch(ignoreNotFound);
        freedBytes += bytes;
        gone.add(id);
      } catch (error) {
        failures.push(messageOf(error));
      }
    }
    records = new Map([...records].filter(([id]) => !gone.has(id)));
    if (gone.size > 0) await deps.onRemaining([...records.keys()]);
    if (failures.length > 0) {
      const list = failures.length === 1 ? failures[0] : `[${failures.join(", ")}]`;
      throw new Error(
        `wanted to free ${what}, but freed ${freedBytes} bytes space with errors in image deletion: ${list}`,
      );
    }
    return freedBytes;
  }

  return {
    async look() {
      await look();
    },
    async collect() {
      const unused = await look();
      const atMs = nowMs();
      const old = unused.filter((image) => isTooOld(image, policy, { nowMs: atMs, startedMs }));
      await remove(old, { upToBytes: Number.POSITIVE_INFINITY }, "old images");
      const disk = await deps.disk();
      if (disk.capacityBytes === 0) {
        const message = "invalid capacity 0 on image filesystem";
        deps.onWarning("InvalidDiskCapacity", message);
        throw new Error(message);
      }
      const goal = decideGoal(disk, policy);
      if (!goal) return;
      const { usedPercent, bytesToFree } = goal;
      const eligible = unused.filter((image) => !old.includes(image) && isOldEnough(image, policy, atMs));
      const freedBytes = await remove(eligible, { upToBytes: bytesToFree }, `${bytesToFree} bytes`);
      if (freedBytes >= bytesToFree) return;
      const message = printShortfall(usedPercent, disk.capacityBytes, freedBytes);
      deps.onWarning("FreeDiskSpaceFailed", message);
      throw new Error(message);
    },
    async removeUnused() {
      const eligible = (await look()).filter((image) => isOldEnough(image, policy, nowMs()));
      await remove(eligible, { upToBytes: Number.POSITIVE_INFINITY }, "all unused images");
    },
  };
}
