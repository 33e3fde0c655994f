import { CSI_NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from "../../shared/api/refs.ts";
import type { CSINode, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../shared/api/types.ts";
import { classOfVolume } from "../../shared/api/volume-binding.ts";
import type { ControllerDeps, Informer } from "../runtime/index.ts";
import type { Storage } from "./volumes/index.ts";

const BY_CLASS = "class";

/** Storage as the caches have it, with the volumes that were just chosen. */
export class CachedStorage implements Storage {
  readonly reserved = new Set<string>();
  readonly #claims: Informer<PersistentVolumeClaim>;
  readonly #volumes: Informer<PersistentVolume>;
  readonly #classes: Informer<StorageClass>;
  readonly #csiNodes: Informer<CSINode>;

  constructor({ informer }: Pick<ControllerDeps, "informer">) {
    this.#claims = informer<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
    this.#volumes = informer<PersistentVolume>(PERSISTENT_VOLUMES);
    this.#classes = informer<StorageClass>(STORAGE_CLASSES);
    this.#csiNodes = informer<CSINode>(CSI_NODES);
    this.#volumes.addIndex(BY_CLASS, (volume) => [classOfVolume(volume)]);
  }

  /** Tells of each change of a claim, volume or class. */
  onChange(changed: () => void): void {
    this.#claims.onEvent(changed);
    this.#classes.onEvent(changed);
    this.#csiNodes.onEvent(changed);
    this.#volumes.onEvent(({ type, object }) => {
      // From now on the volume itself says whose it is.
      if (type === "deleted" || object.spec?.claimRef) this.reserved.delete(object.metadata.name);
      changed();
    });
  }

  claim(namespace: string, name: string) {
    return this.#claims.get(`${namespace}/${name}`);
  }

  volume(name: string) {
    return this.#volumes.get(name);
  }

  volumesOfClass(className: string) {
    return this.#volumes.byIndex(BY_CLASS, className);
  }

  volumeLimits(node: string) {
    const drivers = this.#csiNodes.get(node)?.spec?.drivers ?? [];
    return new Map(drivers.flatMap(({ name, allocatable }) => (allocatable?.count ? [[name, allocatable.count]] : [])));
  }

  storageClass(name: string) {
    return this.#classes.get(name);
  }
}
