import {
  CSI_NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
} from "../../shared/api/refs.ts";
import type {
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from "../../shared/api/types.ts";
import { classOfVolume } from "../../shared/api/volume-binding.ts";
import type { ControllerDeps, Informer } from "../runtime/index.ts";
import type { Storage } from "./volumes/index.ts";

const BY_CLASS = "class";
const BY_NODE = "node";

/** Storage as the caches have it, with the volumes that were just chosen. */
export class CachedStorage implements Storage {
  readonly reserved = new Set<string>();
  readonly #claims: Informer<PersistentVolumeClaim>;
  readonly #volumes: Informer<PersistentVolume>;
  readonly #classes: Informer<StorageClass>;
  readonly #csiNodes: Informer<CSINode>;
  readonly #attachments: Informer<VolumeAttachment>;

  constructor({ informer }: Pick<ControllerDeps, "informer">) {
    this.#claims = informer<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
    this.#volumes = informer<PersistentVolume>(PERSISTENT_VOLUMES);
    this.#classes = informer<StorageClass>(STORAGE_CLASSES);
    this.#csiNodes = informer<CSINode>(CSI_NODES);
    this.#attachments = informer<VolumeAttachment>(VOLUME_ATTACHMENTS);
    this.#attachments.addIndex(BY_NODE, ({ spec }) => [spec.nodeName]);
    this.#volumes.addIndex(BY_CLASS, (volume) => [classOfVolume(volume)]);
  }

  /** Tells of each change of a claim, volume or class, and of volumes that leave a node. */
  onChange(changed: () => void): void {
    this.#claims.onEvent(changed);
    this.#classes.onEvent(changed);
    this.#csiNodes.onEvent(changed);
    this.#attachments.onEvent(({ type }) => type === "deleted" && changed());
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
    return new Map(
      drivers.flatMap(({ name, allocatable }) => (allocatable?.count === undefined ? [] : [[name, allocatable.count]])),
    );
  }

  attachedVolumes(node: string) {
    const attached = new Map<string, string>();
    for (const { spec } of this.#attachments.byIndex(BY_NODE, node)) {
      const name = spec.source.persistentVolumeName;
      const csi = name ? this.#volumes.get(name)?.spec?.csi : undefined;
      if (csi) attached.set(`${spec.attacher}/${csi.volumeHandle}`, spec.attacher);
    }
    return attached;
  }

  storageClass(name: string) {
    return this.#classes.get(name);
  }
}
