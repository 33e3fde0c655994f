import { realpath } from "node:fs/promises";
import type { Container, VolumeMount } from "../api/index.ts";
import type { ImageSpec, Mount, MountPropagation } from "../cri/index.ts";
import type { ReadyVolume } from "./set-up-volume.ts";
import { checkSubPath, makeSubPath, resolveSubPath } from "./sub-path.ts";

/**
 * The container's volume mounts for the runtime.
 * @param options.images of volumes that are images, by the volume's name
 * @param options.expandSubPath replaces variables in a subPathExpr
 * @param options.hasRecursiveReadOnly whether the runtime can do it; asked only where a mount wants it
 * @param options.pin makes a path of a volume safe from containers that share it (pinPath): where the runtime finds it
 * @throws Error in upstream's words if a volume is missing, or a subPath leaves its volume
 */
export async function containerMounts(
  container: Container,
  volumes: ReadonlyMap<string, ReadyVolume>,
  options: {
    images: ReadonlyMap<string, ImageSpec>;
    expandSubPath(expression: string): string;
    hasRecursiveReadOnly(): Promise<boolean>;
    pin(root: string, path: string, slot: { volume: string; container: string; index: number }): Promise<string>;
  },
): Promise<Mount[]> {
  const hostPathOf = async (volume: ReadyVolume, subPath: string | undefined, mount: VolumeMount, index: number) => {
    if (!subPath) return volume.hostPath;
    // No more than this in the message: details would tell of the host's files.
    const failed = (what: string) => (cause: unknown) => {
      throw new Error(`${what} for volumeMount "${mount.name}" of container "${container.name}"`, { cause });
    };
    const root = await realpath(volume.hostPath);
    await makeSubPath(root, subPath).catch(failed("failed to create subPath directory"));
    const slot = { volume: mount.name, container: container.name, index };
    const pinned = resolveSubPath(root, subPath).then((path) => options.pin(root, path, slot));
    return pinned.catch(failed("failed to prepare subPath"));
  };
  return Promise.all(
    (container.volumeMounts ?? []).map(async (mount, index): Promise<Mount> => {
      const volume = volumes.get(mount.name);
      if (!volume) throw new Error(`cannot find volume "${mount.name}" to mount into container "${container.name}"`);
      const subPath = mount.subPathExpr ? options.expandSubPath(mount.subPathExpr) : mount.subPath;
      if (subPath) checkSubPath(subPath);
      const image = options.images.get(mount.name);
      const hostPath = image ? "" : await hostPathOf(volume, subPath, mount, index);
      const propagation = decidePropagation(mount);
      const wantsRecursive = mount.recursiveReadOnly !== undefined && mount.recursiveReadOnly !== "Disabled";
      const recursiveReadOnly =
        wantsRecursive && decideRecursiveReadOnly(mount, { isSupported: await options.hasRecursiveReadOnly() });
      return {
        containerPath: mount.mountPath.startsWith("/") ? mount.mountPath : `/${mount.mountPath}`,
        hostPath,
        readonly: mount.readOnly === true || volume.readOnly,
        propagation,
        ...(recursiveReadOnly && { recursiveReadOnly }),
        ...(image && { image, imageSubPath: subPath ?? "" }),
      };
    }),
  );
}

function decidePropagation({ mountPropagation = "None" }: VolumeMount): MountPropagation {
  switch (mountPropagation) {
    case "None":
      return "PROPAGATION_PRIVATE";
    case "HostToContainer":
      return "PROPAGATION_HOST_TO_CONTAINER";
    case "Bidirectional":
      return "PROPAGATION_BIDIRECTIONAL";
    default:
      throw new Error(`invalid MountPropagation mode: "${mountPropagation}"`);
  }
}

/** @throws Error in upstream's words where it is asked for and cannot be had (KEP-3857) */
export function decideRecursiveReadOnly(mount: VolumeMount, { isSupported }: { isSupported: boolean }): boolean {
  const failed = (why: string) => new Error(`failed to resolve recursive read-only mode: ${why}`);
  const asks = `volume "${mount.name}" requested recursive read-only mode, but it is`;
  const mode = mount.recursiveReadOnly ?? "Disabled";
  if (mode === "Disabled") return false;
  if (!mount.readOnly) throw failed(`${asks} not read-only`);
  const propagation = mount.mountPropagation ?? "None";
  if (propagation !== "None") throw failed(`${asks} not compatible with propagation "${propagation}"`);
  switch (mode) {
    case "IfPossible":
      return isSupported;
    case "Enabled":
      if (!isSupported) throw failed(`${asks} not supported by the runtime`);
      return true;
    default:
      throw failed(`unknown recursive read-only mode "${mode}"`);
  }
}
