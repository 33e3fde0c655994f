import type { Volume } from "../../../shared/api/types.ts";
import type { NodeInfo, PodInfo } from "../framework/node-info.ts";
import { type FilterPlugin, unschedulable } from "../framework/plugin.ts";
import { claimNamesOf } from "../volumes/index.ts";

export const DISK_REASON = "node(s) had no available disk";
export const ONE_POD_REASON =
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

/** A claim for one pod alone is free nowhere while a pod uses it; a disk named in pods is shared by readers at most. */
export const volumeRestrictions: FilterPlugin = {
  name: "VolumeRestrictions",
  prepare: (pod, { nodes, storage }) => {
    const exclusive = new Set(
      claimNamesOf(pod.pod)
        .map(({ name }) => name)
        .filter((name) => storage.claim(pod.namespace, name)?.spec?.accessModes?.includes("ReadWriteOncePod")),
    );
    const disks = (pod.pod.spec?.volumes ?? []).filter(isDisk);
    if (exclusive.size === 0 && disks.length === 0) return undefined;
    const usesOf = (other: PodInfo) =>
      other.namespace === pod.namespace ? claimNamesOf(other.pod).filter(({ name }) => exclusive.has(name)).length : 0;
    let uses = 0;
    if (exclusive.size > 0) for (const node of nodes) for (const other of node.pods) uses += usesOf(other);
    return {
      filter: (node) => {
        if (disks.some((disk) => isTaken(disk, node))) return unschedulable(DISK_REASON);
        return uses > 0 ? unschedulable(ONE_POD_REASON) : undefined;
      },
      update: (other, _node, sign) => {
        uses += sign * usesOf(other);
      },
    };
  },
};

const isDisk = ({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: Volume): boolean =>
  !!(gcePersistentDisk || awsElasticBlockStore || iscsi || rbd);

function isTaken(disk: Volume, node: NodeInfo): boolean {
  for (const { pod } of node.pods) if (pod.spec?.volumes?.some((other) => conflict(disk, other))) return true;
  return false;
}

/** Whether two volumes are one disk that not both only read; EBS has one user in any case. */
function conflict(a: Volume, b: Volume): boolean {
  const oneWrites = (x: { readOnly?: boolean }, y: { readOnly?: boolean }) => !(x.readOnly && y.readOnly);
  const [gce, otherGce] = [a.gcePersistentDisk, b.gcePersistentDisk];
  if (gce && otherGce && gce.pdName === otherGce.pdName && oneWrites(gce, otherGce)) return true;
  const ebs = a.awsElasticBlockStore?.volumeID;
  if (ebs !== undefined && ebs === b.awsElasticBlockStore?.volumeID) return true;
  if (a.iscsi && b.iscsi && a.iscsi.iqn === b.iscsi.iqn && oneWrites(a.iscsi, b.iscsi)) return true;
  const [rbd, otherRbd] = [a.rbd, b.rbd];
  return (
    !!rbd &&
    !!otherRbd &&
    (rbd.pool ?? "rbd") === (otherRbd.pool ?? "rbd") &&
    rbd.image === otherRbd.image &&
    rbd.monitors.some((monitor) => otherRbd.monitors.includes(monitor)) &&
    oneWrites(rbd, otherRbd)
  );
}
