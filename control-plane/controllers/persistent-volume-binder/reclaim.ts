import type { PersistentVolume } from "../../../shared/api/types.ts";
import { PROVISIONED_BY } from "../../../shared/api/volume-binding.ts";
import type { Note } from "./decide-claim.ts";
import { isInTree } from "./provisioners.ts";

const MIGRATED_TO = "pv.kubernetes.io/migrated-to";

/**
 * What becomes of a volume whose claim is gone:
 * - keep: it stays as it is; Retain, or whoever provisioned it deletes it
 * - delete: the object goes, there is nothing else to it
 * - fail: nobody can do what its policy asks for
 */
export type Reclaim = { do: "keep" } | { do: "delete" } | { do: "fail"; note: Note };

const IN_TREE_FINALIZER = "kubernetes.io/pv-controller";

/**
 * The finalizers a volume should have (KEP-2644): one that Kubernetes itself provisioned waits for its deletion by
 * Kubernetes, if that is its policy.
 * @returns undefined when it has them
 */
export function finalizersFor({ metadata, spec }: PersistentVolume): string[] | undefined {
  const provisioner = metadata.annotations?.[PROVISIONED_BY];
  if (!provisioner || !isInTree(provisioner) || metadata.deletionTimestamp) return undefined;
  const present = metadata.finalizers ?? [];
  const isWanted = spec?.persistentVolumeReclaimPolicy === "Delete";
  if (present.includes(IN_TREE_FINALIZER) === isWanted) return undefined;
  return isWanted ? [...present, IN_TREE_FINALIZER] : present.filter((other) => other !== IN_TREE_FINALIZER);
}

/** As spec.persistentVolumeReclaimPolicy says. */
export function decideReclaim({ metadata, spec }: PersistentVolume): Reclaim {
  if (metadata.annotations?.[MIGRATED_TO]) return { do: "keep" };
  switch (spec?.persistentVolumeReclaimPolicy) {
    case "Retain":
      return { do: "keep" };
    case "Recycle":
      // Recycling is deprecated upstream; here no volume can be recycled.
      return failed("VolumeFailedRecycle", "No recycler plugin found for the volume!");
    case "Delete":
      return decideDeletion({ metadata, spec });
    default:
      return failed("VolumeUnknownReclaimPolicy", "Volume has unrecognized PersistentVolumeReclaimPolicy");
  }
}

function decideDeletion({ metadata, spec }: PersistentVolume): Reclaim {
  const provisioner = metadata.annotations?.[PROVISIONED_BY];
  if (provisioner && !isInTree(provisioner)) return { do: "keep" };
  if (provisioner && provisioner !== "kubernetes.io/host-path")
    return failed("VolumeFailedDelete", `no volume plugin matched name: ${provisioner}`);
  if (spec?.csi) return { do: "keep" };
  const path = spec?.hostPath?.path;
  if (path === undefined) {
    const why = spec?.nfs ? "no deletable volume plugin matched" : "no volume plugin matched";
    const message = `error getting deleter volume plugin for volume ${JSON.stringify(metadata.name)}: ${why}`;
    return failed("VolumeFailedDelete", message);
  }
  // Upstream's controller removes the directory from its own machine, a means for tests; ours has none to remove.
  if (/^\/tmp\/.+/.test(path)) return { do: "delete" };
  return failed("VolumeFailedDelete", `host_path deleter only supports /tmp/.+ but received provided ${path}`);
}

const failed = (reason: string, message: string): Reclaim => ({
  do: "fail",
  note: { type: "Warning", reason, message },
});
