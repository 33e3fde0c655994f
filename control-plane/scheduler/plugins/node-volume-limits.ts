import { classOfClaim } from "../../../shared/api/volume-binding.ts";
import type { NodeInfo, PodInfo } from "../framework/node-info.ts";
import { type FilterPlugin, unschedulable } from "../framework/plugin.ts";
import { claimNamesOf, type Storage } from "../volumes/index.ts";

export const REASON = "node(s) exceed max volume count";

/**
 * A node has no more volumes of a CSI driver than its CSINode says it can: those that its pods use, each once, and those
 * that are attached to it all the same.
 */
export const nodeVolumeLimits: FilterPlugin = {
  name: "NodeVolumeLimits",
  prepare: (pod, { storage }) => {
    const wanted = csiVolumes(pod, storage);
    if (wanted.size === 0) return undefined;
    return {
      filter: (node) => {
        const limits = storage.volumeLimits(node.name);
        if (limits.size === 0) return undefined;
        const used = usedVolumes(node, storage);
        const present = new Map([...storage.attachedVolumes(node.name), ...used]);
        const added = [...wanted].filter(([id]) => !used.has(id)).map(([, driver]) => driver);
        const isOver = added.some((driver) => {
          const limit = limits.get(driver);
          const count = [...present.values(), ...added].filter((of) => of === driver).length;
          return limit !== undefined && count > limit;
        });
        return isOver ? unschedulable(REASON) : undefined;
      },
    };
  },
};

function usedVolumes({ pods }: NodeInfo, storage: Storage): Map<string, string> {
  const used = new Map<string, string>();
  for (const pod of pods) for (const [id, driver] of csiVolumes(pod, storage)) used.set(id, driver);
  return used;
}

/** The driver of each CSI volume of a pod; one that is yet to be made, or not known, counts under its claim. */
function csiVolumes({ pod, namespace }: PodInfo, storage: Storage): Map<string, string> {
  const drivers = new Map<string, string>();
  for (const { name } of claimNamesOf(pod)) {
    const claim = storage.claim(namespace, name);
    if (!claim) continue;
    const volumeName = claim.spec?.volumeName;
    const volume = volumeName ? storage.volume(volumeName) : undefined;
    const csi = volume?.spec?.csi;
    if (csi) drivers.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
    if (volume) continue;
    const provisioner = storage.storageClass(classOfClaim(claim))?.provisioner;
    if (provisioner) drivers.set(`${provisioner}/${namespace}/${name}`, provisioner);
  }
  return drivers;
}
