import type { PersistentVolume } from "../../../shared/api/types.ts";

/** A volume of a CSI driver, as far as attaching it goes. */
export interface AttachableVolume {
  /** The PersistentVolume's name. */
  name: string;
  driver: string;
  handle: string;
  /** As nodes list it in `volumesInUse` and `volumesAttached`. */
  uniqueName: string;
  /** One node at a time has it: none of its access modes is for many. Without modes, nobody knows, and the driver decides. */
  isExclusive: boolean;
}

const FOR_MANY = new Set(["ReadWriteMany", "ReadOnlyMany"]);

/** @returns undefined for what is attached to no node: other volumes than those of CSI drivers */
export function attachableVolume({ metadata, spec }: PersistentVolume): AttachableVolume | undefined {
  if (!spec?.csi) return undefined;
  const { driver, volumeHandle: handle } = spec.csi;
  const modes = spec.accessModes ?? [];
  return {
    name: metadata.name,
    driver,
    handle,
    uniqueName: `kubernetes.io/csi/${driver}^${handle}`,
    isExclusive: modes.length > 0 && !modes.some((mode) => FOR_MANY.has(mode)),
  };
}

/** The name of the VolumeAttachment, which a kubelet works out as well (`csi-` and SHA-256 over handle, driver and node). */
export async function attachmentName({ handle, driver }: AttachableVolume, nodeName: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(handle + driver + nodeName));
  return `csi-${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
