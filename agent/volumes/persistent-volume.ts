import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { PersistentVolume } from "../../shared/api/types.ts";
import type { Volume } from "../api/index.ts";
import { writeFileAtomically } from "../state/index.ts";
import { prepareHostPath } from "./host-path.ts";
import { bindMount, mountNfs } from "./mount-table.ts";

/** How a volume that outlives its pods comes to the pod's directory. */
export type Attachment =
  | { kind: "host-path"; path: string; type?: string }
  | { kind: "local-volume"; path: string }
  | { kind: "nfs"; server: string; path: string; options: string[] };

export interface MountPlan {
  attachment: Attachment;
  readOnly: boolean;
  /** Whether the pod's fsGroup is to own it. */
  takesGroup: boolean;
}

/**
 * How a claimed volume is mounted.
 * @throws Error for what this node cannot mount
 */
export function planPersistentVolume({ spec }: PersistentVolume, volume: Volume): MountPlan {
  const { hostPath, local, nfs, accessModes = [], mountOptions = [], volumeMode } = spec ?? {};
  if (volumeMode === "Block") throw new Error("block volumes are not supported on this node");
  const readOnly =
    volume.persistentVolumeClaim?.readOnly === true || accessModes.every((mode) => mode === "ReadOnlyMany");
  if (hostPath) {
    const { path = "", type } = hostPath;
    return { attachment: { kind: "host-path", path, ...(type && { type }) }, readOnly, takesGroup: false };
  }
  if (local) return { attachment: { kind: "local-volume", path: local.path ?? "" }, readOnly, takesGroup: !readOnly };
  if (nfs) return planNfs(nfs, { readOnly, mountOptions });
  const kind = Object.keys(spec ?? {}).find((field) => !NO_SOURCE.has(field)) ?? "unknown";
  throw new Error(`volumes of type ${kind} are not supported on this node`);
}

export function planNfs(
  nfs: { server?: string; path?: string; readOnly?: boolean },
  { readOnly, mountOptions }: { readOnly: boolean; mountOptions: string[] },
): MountPlan {
  const isReadOnly = readOnly || nfs.readOnly === true;
  const options = [...(isReadOnly ? ["ro"] : []), ...mountOptions];
  const attachment: Attachment = { kind: "nfs", server: nfs.server ?? "", path: nfs.path ?? "", options };
  return { attachment, readOnly: isReadOnly, takesGroup: false };
}

const NO_SOURCE = new Set([
  ...["accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy"],
  ...["storageClassName", "volumeAttributesClassName", "volumeMode"],
]);

/** @param directory empty, of the pod: where it is mounted, if it has to be @returns where the volume is then */
export async function attach(attachment: Attachment, directory: string): Promise<string> {
  switch (attachment.kind) {
    case "host-path":
      await prepareHostPath(attachment);
      return attachment.path;
    case "local-volume": {
      const info = await stat(attachment.path).catch(() => undefined);
      if (!info) throw new Error(`path "${attachment.path}" does not exist`);
      if (!info.isDirectory()) throw new Error(`path "${attachment.path}" is not a directory`);
      await bindMount(attachment.path, directory);
      return directory;
    }
    case "nfs":
      await mountNfs(attachment, directory);
      return directory;
  }
}

/**
 * Asks once: what a claim is bound to does not change while the pod lives, and the pod goes on while the API is away.
 * @param directory of the pod
 */
export async function rememberVolume(
  directory: string,
  name: string,
  ask: () => Promise<PersistentVolume>,
): Promise<PersistentVolume> {
  const file = join(directory, `${name}.pv.json`);
  // What cannot be read is asked for again.
  const known = await readFile(file, "utf8")
    .then((text) => JSON.parse(text) as PersistentVolume)
    .catch(() => undefined);
  if (known) return known;
  const volume = await ask();
  await writeFileAtomically(file, JSON.stringify(volume));
  return volume;
}
