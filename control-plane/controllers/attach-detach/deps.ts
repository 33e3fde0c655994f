import type {
  CSIDriver,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../../shared/api/types.ts";
import type { ControllerDeps, Informer, LruMap } from "../../runtime/index.ts";
import type { NeedingPod } from "./decide.ts";
import type { AttachableVolume } from "./volume.ts";

/** Index of pods by their claims' keys; the controller that protects claims has the same. */
export const BY_CLAIM = "claim";
/** Index of attachments and claims by the PersistentVolume, and of nodes by the volumes that they say are attached. */
export const BY_VOLUME = "volume";

export interface AttachDeps extends ControllerDeps {
  pods: Informer<Pod>;
  claims: Informer<PersistentVolumeClaim>;
  volumes: Informer<PersistentVolume>;
  attachments: Informer<VolumeAttachment>;
  drivers: Informer<CSIDriver>;
  nodes: Informer<Node>;
  /** What pods were told last, by volume and node: an event is for news. Lost with the memory, it is told once more. */
  told: LruMap<string, string>;
}

/** What is known of a volume when its plan is made. */
export interface Known {
  volume: AttachableVolume;
  pods: NeedingPod[];
  /** By node. */
  attachments: ReadonlyMap<string, VolumeAttachment>;
  /** Under which its notes are kept. */
  scope: string;
}

/** Since when (epoch ms) a node has not needed a volume that it has mounted. Without a node, what the keys begin with. */
export const noteKey = (scope: string, nodeName = "") => `attach-detach/${scope}/${nodeName}`;
