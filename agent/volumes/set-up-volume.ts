import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pod, Volume } from "../api/index.ts";
import { bytes } from "../cgroup/index.ts";
import { writeAtomically } from "./atomic-writer.ts";
import { decideMedium, type EmptyDirMedium } from "./empty-dir.ts";
import type { PodAddresses } from "./field-value.ts";
import { applyFsGroup } from "./fs-group.ts";
import { prepareHostPath } from "./host-path.ts";
import { mountHugePages, mountsUnder, mountTmpfs } from "./mount-table.ts";
import { makeNestedMountPoints } from "./nested-mount-points.ts";
import { attach, type MountPlan, planNfs, planPersistentVolume, rememberVolume } from "./persistent-volume.ts";
import type { Allocatable } from "./resource-value.ts";
import type { VolumeSources } from "./sources.ts";
import { asProjection, readContent } from "./volume-content.ts";

/** A volume that is ready to be mounted into containers. */
export interface ReadyVolume {
  /** Empty for an image, which the runtime mounts by itself. */
  hostPath: string;
  /** The volume itself allows no writing, whatever the mount says. */
  readOnly: boolean;
}

export interface SetUpDeps {
  sources: VolumeSources;
  allocatable(): Allocatable;
  /** Told when the ownership of a large volume takes its time. */
  onSlow(pod: Pod, message: string): void;
}

/** The volume as it is when nothing can be learned of its sources; undefined if it was never set up. */
export async function findVolume(directory: string, volume: Volume): Promise<ReadyVolume | undefined> {
  if (!asProjection(volume)) return undefined;
  const hostPath = projectionPath(directory, volume);
  return (await isThere(join(hostPath, "..data"))) ? { hostPath, readOnly: true } : undefined;
}

/**
 * Finds what a volume is made of: its sources, a token, what is mounted from elsewhere.
 * @param directory of the pod
 * @returns what brings it up, and its content up to date; that is work on this machine. May be repeated
 */
export async function prepareVolume(
  deps: SetUpDeps,
  { pod, volume, addresses, directory }: { pod: Pod; volume: Volume; addresses: PodAddresses; directory: string },
): Promise<() => Promise<ReadyVolume>> {
  const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};

  async function giveToGroup(path: string, options: { readOnly: boolean; onlyIfRootDiffers?: boolean }) {
    if (fsGroup === undefined) return;
    const name = path.slice(Math.max(0, path.indexOf(pod.metadata.uid)));
    const onSlow = (files: number | undefined) => deps.onSlow(pod, slowMessage(name, files));
    await applyFsGroup(path, fsGroup, { ...options, onSlow });
  }

  async function setUpProjection(content: Awaited<ReturnType<typeof readContent>>): Promise<ReadyVolume> {
    const hostPath = projectionPath(directory, volume);
    await makeDirectory(hostPath, 0o777);
    // Secrets stay off the disk.
    if ((volume.secret || volume.projected) && !(await isMounted(hostPath))) {
      await mountMedium(hostPath, { kind: "memory", sizeBytes: memoryOf(deps.allocatable()) });
    }
    await makeNestedMountPoints(hostPath, volume.name, pod);
    await writeAtomically(hostPath, content, () => giveToGroup(hostPath, { readOnly: true }));
    return { hostPath, readOnly: true };
  }

  async function setUpEmptyDir(source: NonNullable<Volume["emptyDir"]>): Promise<ReadyVolume> {
    const hostPath = join(directory, "volumes", "kubernetes.io~empty-dir", volume.name);
    const plugin = join(directory, "plugins", "kubernetes.io~empty-dir", volume.name);
    const ready = join(plugin, "ready");
    const medium = decideMedium(source, pod, memoryOf(deps.allocatable()));
    const isUp = async () => (medium.kind === "disk" ? isThere(hostPath) : isMounted(hostPath));
    // The mark comes last: what a crash has interrupted is done again. After a reboot it is there and memory is gone.
    if ((await isThere(ready)) && (await isUp())) return { hostPath, readOnly: false };
    await makeDirectory(hostPath, 0o777);
    if (medium.kind !== "disk" && !(await isMounted(hostPath))) await mountMedium(hostPath, medium);
    await giveToGroup(hostPath, { readOnly: false });
    await makeDirectory(plugin, 0o750);
    await writeFile(ready, "");
    return { hostPath, readOnly: false };
  }

  async function mountOnce(name: string, { attachment, readOnly, takesGroup }: MountPlan): Promise<ReadyVolume> {
    const target = join(directory, "volumes", `kubernetes.io~${attachment.kind}`, name);
    if (attachment.kind !== "host-path") {
      if (await isMounted(target)) return { hostPath: target, readOnly };
      await makeDirectory(target, 0o750);
    }
    const hostPath = await attach(attachment, target);
    if (takesGroup) {
      await giveToGroup(hostPath, { readOnly, onlyIfRootDiffers: fsGroupChangePolicy === "OnRootMismatch" });
    }
    return { hostPath, readOnly };
  }

  if (volume.hostPath) {
    await prepareHostPath(volume.hostPath);
    return isReady({ hostPath: volume.hostPath.path, readOnly: false });
  }
  if (volume.image) return isReady({ hostPath: "", readOnly: true });
  const projection = asProjection(volume);
  if (projection) {
    // Nothing is left behind when a source is missing.
    const context = { pod, addresses, sources: deps.sources, allocatable: deps.allocatable() };
    const content = await readContent(projection, context);
    return () => setUpProjection(content);
  }
  const { emptyDir } = volume;
  if (emptyDir) return () => setUpEmptyDir(emptyDir);
  if (volume.persistentVolumeClaim || volume.ephemeral) {
    await mkdir(directory, { recursive: true, mode: 0o750 });
    const found = await rememberVolume(directory, volume.name, () => deps.sources.persistentVolume(pod, volume));
    return isReady(await mountOnce(found.metadata?.name ?? volume.name, planPersistentVolume(found, volume)));
  }
  if (volume.nfs) {
    return isReady(await mountOnce(volume.name, planNfs(volume.nfs, { readOnly: false, mountOptions: [] })));
  }
  const kind = Object.keys(volume).find((field) => field !== "name") ?? "unknown";
  throw new Error(`volumes of type ${kind} are not supported on this node`);
}

const isReady = (volume: ReadyVolume) => async () => volume;

const projectionPath = (directory: string, volume: Volume) =>
  join(directory, "volumes", `kubernetes.io~${pluginOf(volume)}`, volume.name);

const pluginOf = ({ configMap, secret, downwardAPI }: Volume) =>
  configMap ? "configmap" : secret ? "secret" : downwardAPI ? "downward-api" : "projected";

const slowMessage = (name: string, files: number | undefined) =>
  files === undefined
    ? `Setting volume ownership for ${name} is taking longer than expected, consider using OnRootMismatch - https://kubernetes.io/docs/tasks/configure-pod-container/security-context/#configure-volume-permission-and-ownership-change-policy-for-pods`
    : `Setting volume ownership for ${name}, processed ${files} files.`;

const memoryOf = (allocatable: Allocatable) => bytes(allocatable["memory"] ?? "0");

async function mountMedium(hostPath: string, medium: Exclude<EmptyDirMedium, { kind: "disk" }>): Promise<void> {
  if (medium.kind === "memory") await mountTmpfs(hostPath, medium);
  else await mountHugePages(hostPath, medium);
  await chmod(hostPath, 0o777);
}

async function makeDirectory(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o750 });
  await chmod(path, mode);
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

const isMounted = async (path: string) => (await mountsUnder(path)).includes(path);
