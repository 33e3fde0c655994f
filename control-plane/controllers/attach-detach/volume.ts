import type { Node, PersistentVolume, VolumeAttachment } from "../../../shared/api/types.ts";

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
    uniqueName: `${uniquePrefix(driver)}${handle}`,
    isExclusive: modes.length > 0 && !modes.some((mode) => FOR_MANY.has(mode)),
  };
}

const uniquePrefix = (driver: string) => `kubernetes.io/csi/${driver}^`;

/** The name of the VolumeAttachment, which a kubelet works out as well (`csi-` and SHA-256 over handle, driver and node). */
export async function attachmentName({ handle, driver }: AttachableVolume, nodeName: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(handle + driver + nodeName));
  return `csi-${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** A name as {@link attachmentName} gives them. */
export const isOurName = (name: string): boolean => /^csi-[0-9a-f]{64}$/.test(name);

/**
 * The volume of an attachment whose PersistentVolume is gone, from what its node says: the one among the volumes there that
 * gives the attachment its name. Where the node says nothing of it (nothing was reported or mounted) handle and unique name
 * are empty.
 */
export async function volumeOfStray({ metadata, spec }: VolumeAttachment, node?: Node): Promise<AttachableVolume> {
  const { attacher: driver, nodeName, source } = spec;
  const { volumesAttached = [], volumesInUse = [] } = node?.status ?? {};
  const prefix = uniquePrefix(driver);
  const stray = { name: source.persistentVolumeName ?? "", driver, isExclusive: false };
  for (const uniqueName of new Set([...volumesAttached.map(({ name }) => name), ...volumesInUse])) {
    const volume = { ...stray, handle: uniqueName.slice(prefix.length), uniqueName };
    if (uniqueName.startsWith(prefix) && (await attachmentName(volume, nodeName)) === metadata.name) return volume;
  }
  return { ...stray, handle: "", uniqueName: "" };
}
