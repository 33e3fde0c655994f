import { classOfClaim } from "../../../shared/api/volume-binding.ts";
import type { PodInfo } from "../framework/node-info.ts";
import { type FilterPlugin, unschedulable } from "../framework/plugin.ts";
import { claimNamesOf, type Storage } from "../volumes/index.ts";

export const REASON = "node(s) exceed max volume count";

/** A node has no more volumes of a CSI driver than its CSINode says it can; one used by several pods counts once. */
export const nodeVolumeLimits: FilterPlugin = {
  name: "NodeVolumeLimits",
  prepare: (pod, { storage }) => {
    const wanted = csiVolumes(pod, storage);
    if (wanted.size === 0) return undefined;
    return {
      filter: (node) => {
        const limits = storage.volumeLimits(node.name);
        if (limits.size === 0) return undefined;
        const all = new Map(wanted);
        for (const other of node.pods) for (const [id, driver] of csiVolumes(other, storage)) all.set(id, driver);
        for (const driver of new Set(wanted.values())) {
          const limit = limits.get(driver);
          const count = [...all.values()].filter((of) => of === driver).length;
          if (limit !== undefined && count > limit && isNew(wanted, driver, node.pods, storage)) {
            return unschedulable(REASON);
          }
        }
        return undefined;
      },
    };
  },
};

/** Whether the pod would add a volume of the driver to those there. */
function isNew(wanted: Map<string, string>, driver: string, pods: Iterable<PodInfo>, storage: Storage): boolean {
  const there = new Set<string>();
  for (const other of pods) for (const id of csiVolumes(other, storage).keys()) there.add(id);
  return [...wanted].some(([id, of]) => of === driver && !there.has(id));
}

/** The driver of each CSI volume of a pod; one that is yet to be made counts under its claim. */
function csiVolumes({ pod, namespace }: PodInfo, storage: Storage): Map<string, string> {
  const drivers = new Map<string, string>();
  for (const { name } of claimNamesOf(pod)) {
    const claim = storage.claim(namespace, name);
    const volumeName = claim?.spec?.volumeName;
    const csi = volumeName ? storage.volume(volumeName)?.spec?.csi : undefined;
    if (csi) drivers.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
    else if (claim && !volumeName) {
      const provisioner = storage.storageClass(classOfClaim(claim))?.provisioner;
      if (provisioner) drivers.set(`${provisioner}/${namespace}/${name}`, provisioner);
    }
  }
  return drivers;
}
