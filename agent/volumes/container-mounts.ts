import { chmod, mkdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Container, VolumeMount } from "../api/index.ts";
import type { Mount } from "../cri/index.ts";
import type { ReadyVolume } from "./pod-volumes.ts";

const PROPAGATION = {
  None: "PROPAGATION_PRIVATE",
  HostToContainer: "PROPAGATION_HOST_TO_CONTAINER",
  Bidirectional: "PROPAGATION_BIDIRECTIONAL",
} as const;

/**
 * The container's volume mounts for the runtime.
 * @param options.expandSubPath replaces variables in a subPathExpr
 * @param options.hasRecursiveReadOnly whether the runtime can do it; asked only where a mount wants it
 * @param options.pin makes a path of a volume safe from containers that share it (pinPath): where the runtime finds it
 * @throws Error if a volume is missing, or a subPath leaves its volume
 */
export async function containerMounts(
  container: Container,
  volumes: ReadonlyMap<string, ReadyVolume>,
  options: {
    expandSubPath(expression: string): string;
    hasRecursiveReadOnly(): Promise<boolean>;
    pin(root: string, path: string, slot: { volume: string; container: string; index: number }): Promise<string>;
  },
): Promise<Mount[]> {
  const subPathOf = async (volume: ReadyVolume, subPath: string, mount: VolumeMount, index: number) => {
    const root = await realpath(volume.hostPath);
    const path = await resolveSubPath(root, subPath, mount, container);
    // Only we write to the others.
    return volume.readOnly ? path : options.pin(root, path, { volume: mount.name, container: container.name, index });
  };
  return Promise.all(
    (container.volumeMounts ?? []).map(async (mount, index) => {
      const volume = volumes.get(mount.name);
      if (!volume) throw new Error(`cannot find volume "${mount.name}" to mount into container "${container.name}"`);
      const subPath = mount.subPathExpr ? options.expandSubPath(mount.subPathExpr) : mount.subPath;
      const wantsRecursive = mount.recursiveReadOnly !== undefined && mount.recursiveReadOnly !== "Disabled";
      const recursiveReadOnly =
        wantsRecursive && decideRecursiveReadOnly(mount, { isSupported: await options.hasRecursiveReadOnly() });
      return {
        containerPath: mount.mountPath.startsWith("/") ? mount.mountPath : `/${mount.mountPath}`,
        hostPath: subPath ? await subPathOf(volume, subPath, mount, index) : volume.hostPath,
        readonly: mount.readOnly === true || volume.readOnly,
        propagation: PROPAGATION[mount.mountPropagation as keyof typeof PROPAGATION] ?? "PROPAGATION_PRIVATE",
        ...(recursiveReadOnly && { recursiveReadOnly }),
      };
    }),
  );
}

/** @throws Error in upstream's words where it is asked for and cannot be had (KEP-3857) */
export function decideRecursiveReadOnly(mount: VolumeMount, { isSupported }: { isSupported: boolean }): boolean {
  const asks = `volume "${mount.name}" requested recursive read-only mode, but it is`;
  switch (mount.recursiveReadOnly ?? "Disabled") {
    case "Disabled":
      return false;
    case "IfPossible":
    case "Enabled": {
      if (!mount.readOnly) throw new Error(`${asks} not read-only`);
      const propagation = mount.mountPropagation ?? "None";
      if (propagation !== "None") throw new Error(`${asks} not compatible with propagation "${propagation}"`);
      if (mount.recursiveReadOnly === "Enabled" && !isSupported)
        throw new Error(`${asks} not supported by the runtime`);
      return isSupported;
    }
    default:
      throw new Error(`unknown recursive read-only mode "${mount.recursiveReadOnly}"`);
  }
}

/**
 * The real path of a subPath below the real path of its volume, made if it is missing. Links are followed, and must not lead out of the volume: a
 * container that shares the volume may have planted them.
 */
async function resolveSubPath(
  realRoot: string,
  subPath: string,
  mount: VolumeMount,
  container: Container,
): Promise<string> {
  // The cause would tell of the node's files.
  const refuse = (step: "prepare subPath" | "create subPath directory") =>
    new Error(`failed to ${step} for volumeMount "${mount.name}" of container "${container.name}"`);
  if (subPath.startsWith("/")) throw new Error(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split("/").includes("..")) {
    throw new Error(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  }
  const path = join(realRoot, subPath);
  const inside = (resolved: string) => resolved === realRoot || resolved.startsWith(`${realRoot}/`);
  const existing = await realpath(path).catch(() => undefined);
  if (existing !== undefined) {
    if (!inside(existing)) throw refuse("prepare subPath");
    return existing;
  }
  let current = realRoot;
  const { mode } = await stat(realRoot);
  for (const part of subPath.split("/").filter(Boolean)) {
    const next = join(current, part);
    await mkdir(next)
      .then(() => chmod(next, mode & 0o7777))
      .catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST")
          throw refuse(error.code === "ENOTDIR" ? "prepare subPath" : "create subPath directory");
      });
    current = await realpath(next);
    if (!inside(current)) throw refuse("create subPath directory");
  }
  return current;
}
