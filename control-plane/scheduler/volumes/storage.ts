import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../../shared/api/types.ts";

/** What there is of storage. Undefined: no such object. */
export interface Storage {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumesOfClass(className: string): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
  /** Volumes chosen for claims whose controller does not know yet, by name. */
  reserved: ReadonlySet<string>;
}

/** A cluster without any storage. */
export const NO_STORAGE: Storage = {
  claim: () => undefined,
  volume: () => undefined,
  volumesOfClass: () => [],
  storageClass: () => undefined,
  reserved: new Set(),
};
