/**
 * Attaches volumes of CSI drivers to the nodes of the pods that need them, and detaches them where no pod does: by
 * VolumeAttachments, which the drivers carry out, and by what Nodes say in `volumesAttached`, which their kubelets go by.
 * Volumes written into a pod itself, and the in-tree kinds that drivers have replaced, are not attached.
 */
import { isReady } from "../../../shared/api/conditions.ts";
import {
  CSI_DRIVERS,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  VOLUME_ATTACHMENTS,
} from "../../../shared/api/refs.ts";
import type {
  CSIDriver,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../../shared/api/types.ts";
import { type ControllerDefinition, type Enqueue, keyOf, LruMap } from "../../runtime/index.ts";
import { BY_NODE, byNode } from "../by-node.ts";
import { claimKeys } from "../pvc-protection/decide.ts";
import { type AttachDeps, BY_CLAIM, BY_VOLUME } from "./deps.ts";
import { isOutOfService } from "./node.ts";
import { hasEnded } from "./pod.ts";
import { reconcile } from "./reconcile.ts";
import { attachableVolume } from "./volume.ts";

/** Of more volumes that are in trouble at a time some events are repeated. */
const MAX_TOLD = 1000;

/** A key is the name of a PersistentVolume. */
export const attachDetachController: ControllerDefinition = {
  name: "attach-detach",
  serviceAccount: "attachdetach-controller",
  build(base) {
    const deps: AttachDeps = {
      ...base,
      pods: base.informer<Pod>(PODS),
      claims: base.informer<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS),
      volumes: base.informer<PersistentVolume>(PERSISTENT_VOLUMES),
      attachments: base.informer<VolumeAttachment>(VOLUME_ATTACHMENTS),
      drivers: base.informer<CSIDriver>(CSI_DRIVERS),
      nodes: base.informer<Node>(NODES),
      told: new LruMap(MAX_TOLD),
    };
    deps.pods.addIndex(BY_CLAIM, claimKeys);
    deps.pods.addIndex(BY_NODE, byNode);
    deps.claims.addIndex(BY_VOLUME, ({ spec }) => (spec?.volumeName ? [spec.volumeName] : []));
    deps.attachments.addIndex(BY_VOLUME, ({ spec: { source } }) =>
      source.persistentVolumeName ? [source.persistentVolumeName] : [],
    );
    deps.attachments.addIndex(BY_NODE, ({ spec }) => [spec.nodeName]);
    deps.nodes.addIndex(BY_VOLUME, ({ status }) => (status?.volumesAttached ?? []).map(({ name }) => name));
    return { concurrency: 4, start: (enqueue) => start(deps, enqueue), reconcile: (key) => reconcile(key, deps) };
  },
};

function start(deps: AttachDeps, enqueue: Enqueue): void {
  const { pods, claims, volumes, attachments, drivers, nodes } = deps;
  const lookAt = (name = "") => {
    const volume = volumes.get(name);
    // Of a volume that is gone attachments may be left.
    if ((volume && attachableVolume(volume)) || attachments.byIndex(BY_VOLUME, name).length > 0) enqueue(name);
  };
  const lookAtVolumesOf = (pod: Pod) => {
    for (const key of claimKeys(pod)) lookAt(claims.get(key)?.spec?.volumeName);
  };
  pods.onEvent((event) => {
    const { object } = event;
    if (!object.spec.nodeName) return;
    const isSame =
      event.type === "updated" &&
      event.old.spec.nodeName === object.spec.nodeName &&
      event.old.metadata.uid === object.metadata.uid &&
      hasEnded(event.old) === hasEnded(object);
    if (!isSame) lookAtVolumesOf(object);
  });
  claims.onEvent(({ object }) => lookAt(object.spec?.volumeName));
  volumes.onEvent(({ object }) => {
    if (attachableVolume(object)) enqueue(object.metadata.name);
  });
  attachments.onEvent(({ object }) => {
    const { persistentVolumeName } = object.spec.source;
    if (persistentVolumeName) enqueue(persistentVolumeName);
  });
  drivers.onEvent(({ object }) => {
    for (const { metadata, spec } of volumes.list()) if (spec?.csi?.driver === keyOf(object)) enqueue(metadata.name);
  });
  nodes.onEvent((event) => {
    const { name } = event.object.metadata;
    if (event.type === "updated" && whatCounts(event.old) === whatCounts(event.object)) return;
    for (const { spec } of attachments.byIndex(BY_NODE, name)) lookAt(spec.source.persistentVolumeName);
    if (event.type !== "deleted") for (const pod of pods.byIndex(BY_NODE, name)) lookAtVolumesOf(pod);
  });
}

const whatCounts = (node: Node): string =>
  JSON.stringify([
    node.metadata.uid,
    node.metadata.annotations,
    node.status?.volumesInUse,
    node.status?.volumesAttached,
    isReady(node),
    isOutOfService(node),
  ]);
