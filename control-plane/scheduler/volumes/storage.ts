import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../../shared/api/types.ts";

/** What there is of storage. Undefined: no such object. */
export interface Storage {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumesOfClass(className: string): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
  /** How many volumes of each CSI driver a node can have at most, by the driver's name. */
  volumeLimits(node: string): ReadonlyMap<string, number>;
  /** The driver of each CSI volume that is attached to a node, by driver and handle. */
  attachedVolumes(node: string): ReadonlyMap<string, string>;
  /** Volumes chosen for claims whose controller does not know yet, by name. */
  reserved: ReadonlySet<string>;
}

/** A cluster without any storage. */
export const NO_STORAGE: Storage = {
  claim: () => undefined,
  volume: () => undefined,
  volumesOfClass: () => [],
  storageClass: () => undefined,
  volumeLimits: () => new Map(),
  attachedVolumes: () => new Map(),
  reserved: new Set(),
};
