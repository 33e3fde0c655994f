import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pod, Volume } from "../api/index.ts";
import { bytes } from "../cgroup/index.ts";
import { writeAtomically } from "./atomic-writer.ts";
import type { PodAddresses } from "./field-value.ts";
import { applyFsGroup } from "./fs-group.ts";
import { prepareHostPath } from "./host-path.ts";
import { renderHostNetworkHostsFile, renderHostsFile } from "./hosts-file.ts";
import { mountsUnder, mountTmpfs, unmount } from "./mount-table.ts";
import { attach, type MountPlan, planNfs, planPersistentVolume, rememberVolume } from "./persistent-volume.ts";
import { pinPath } from "./pinned-path.ts";
import type { NodeCapacity } from "./resource-value.ts";
import type { VolumeSources } from "./sources.ts";
import { usedVolumes } from "./used-volumes.ts";
import { asProjection, readContent } from "./volume-content.ts";
import { VolumeError, type VolumeFailure } from "./volume-error.ts";

/** A volume that is ready to be mounted into containers. */
export interface ReadyVolume {
  hostPath: string;
  /** The volume itself allows no writing, whatever the mount says. */
  readOnly: boolean;
}

export interface PodVolumes {
  /**
   * Brings the volumes up that the pod's containers mount, and their content up to date. May be repeated.
   * @throws VolumeError for all that fail
   */
  setUp(pod: Pod, addresses: PodAddresses): Promise<Map<string, ReadyVolume>>;
  /** Writes the pod's /etc/hosts. @returns its path on the node */
  writeHostsFile(pod: Pod, names: { podIps: string[]; hostname: string; domain: string }): Promise<string>;
  /** The file into which a container writes its termination message. */
  terminationLog(uid: string, container: string, restartCount: number): Promise<string>;
  podDirectory(uid: string): string;
  /** Makes a path of a volume safe from the containers that share it. @returns where the runtime finds it */
  pin(
    uid: string,
    root: string,
    path: string,
    slot: { volume: string; container: string; index: number },
  ): Promise<string>;
  /** Unmounts and removes everything of a pod that has ended. May be repeated. */
  tearDown(uid: string): Promise<void>;
}

/** Volumes of pods, in `<stateDir>/pods/<uid>/volumes/kubernetes.io~<plugin>/<name>` as the kubelet lays them out. */
export function createPodVolumes({
  stateDir,
  sources,
  node,
  onTornDown = () => {},
}: {
  stateDir: string;
  sources: VolumeSources;
  node: NodeCapacity;
  /** The pod's directory is gone, with all that was remembered there. */
  onTornDown?: (uid: string) => void;
}): PodVolumes {
  const podDirectory = (uid: string) => join(stateDir, "pods", uid);

  async function setUpVolume(pod: Pod, volume: Volume, addresses: PodAddresses): Promise<ReadyVolume> {
    if (volume.hostPath) {
      await prepareHostPath(volume.hostPath);
      return { hostPath: volume.hostPath.path, readOnly: false };
    }
    const root = join(podDirectory(pod.metadata.uid), "volumes");
    const projection = asProjection(volume);
    if (projection) {
      const hostPath = join(root, `kubernetes.io~${pluginOf(volume)}`, volume.name);
      // Nothing is left behind when a source is missing.
      const content = await readContent(projection, { pod, sources, addresses, node });
      await makeDirectory(hostPath, 0o777);
      if (volume.secret || volume.projected) await ensureTmpfs(hostPath);
      await writeAtomically(hostPath, content);
      const group = pod.spec.securityContext?.fsGroup;
      if (group !== undefined) await applyFsGroup(hostPath, group, { readOnly: true });
      return { hostPath, readOnly: true };
    }
    if (volume.emptyDir) {
      const hostPath = join(root, "kubernetes.io~empty-dir", volume.name);
      if (!(await isDirectory(hostPath))) {
        await makeDirectory(hostPath, 0o777);
        if (volume.emptyDir.medium === "Memory") await mountMemory(hostPath, volume.emptyDir.sizeLimit);
        const group = pod.spec.securityContext?.fsGroup;
        if (group !== undefined) await applyFsGroup(hostPath, group, { readOnly: false });
      } else if (volume.emptyDir.medium === "Memory" && !(await isMounted(hostPath))) {
        // After a reboot the directory is there, and its memory is gone.
        await mountMemory(hostPath, volume.emptyDir.sizeLimit);
      }
      return { hostPath, readOnly: false };
    }
    if (volume.persistentVolumeClaim || volume.ephemeral) {
      const directory = podDirectory(pod.metadata.uid);
      await mkdir(directory, { recursive: true, mode: 0o750 });
      const found = await rememberVolume(directory, volume.name, () => sources.persistentVolume(pod, volume));
      return mountOnce(pod, found.metadata?.name ?? volume.name, planPersistentVolume(found, volume));
    }
    if (volume.nfs) return mountOnce(pod, volume.name, planNfs(volume.nfs, { readOnly: false, mountOptions: [] }));
    const kind = Object.keys(volume).find((field) => field !== "name") ?? "unknown";
    throw new Error(`volumes of type ${kind} are not supported on this node`);
  }

  async function mountOnce(pod: Pod, name: string, plan: MountPlan): Promise<ReadyVolume> {
    const { attachment, readOnly, takesGroup } = plan;
    const directory = join(podDirectory(pod.metadata.uid), "volumes", `kubernetes.io~${attachment.kind}`, name);
    if (attachment.kind !== "host-path") {
      if (await isMounted(directory)) return { hostPath: directory, readOnly };
      await makeDirectory(directory, 0o750);
    }
    const hostPath = await attach(attachment, directory);
    const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
    if (takesGroup && fsGroup !== undefined) {
      await applyFsGroup(hostPath, fsGroup, { readOnly, onlyIfRootDiffers: fsGroupChangePolicy === "OnRootMismatch" });
    }
    return { hostPath, readOnly };
  }

  async function mountMemory(hostPath: string, sizeLimit: string | undefined) {
    await mountTmpfs(hostPath, { sizeBytes: sizeLimit ? bytes(sizeLimit) : undefined });
    await chmod(hostPath, 0o777);
  }

  return {
    podDirectory,
    async setUp(pod, addresses) {
      const ready = new Map<string, ReadyVolume>();
      const failures: VolumeFailure[] = [];
      for (const volume of usedVolumes(pod)) {
        try {
          ready.set(volume.name, await setUpVolume(pod, volume, addresses));
        } catch (cause) {
          failures.push({ volume: volume.name, cause });
        }
      }
      if (failures.length > 0) throw new VolumeError(failures);
      return ready;
    },
    async writeHostsFile(pod, { podIps, hostname, domain }) {
      const directory = podDirectory(pod.metadata.uid);
      await mkdir(directory, { recursive: true, mode: 0o750 });
      const path = join(directory, "etc-hosts");
      const aliases = pod.spec.hostAliases;
      const text = pod.spec.hostNetwork
        ? renderHostNetworkHostsFile(await readFile("/etc/hosts", "utf8"), aliases)
        : renderHostsFile({ podIps, hostname, domain, hostAliases: aliases });
      // In place: a bind mount follows the file, not its name.
      await writeFile(path, text, { mode: 0o644 });
      return path;
    },
    async terminationLog(uid, container, restartCount) {
      const directory = join(podDirectory(uid), "containers", container);
      await mkdir(directory, { recursive: true, mode: 0o750 });
      const path = join(directory, `termination-log-${restartCount}`);
      await writeFile(path, "", { flag: "a" });
      await chmod(path, 0o666);
      return path;
    },
    async pin(uid, root, path, { volume, container, index }) {
      const target = join(podDirectory(uid), "volume-subpaths", volume, container, String(index));
      await pinPath(root, path, target);
      return target;
    },

    async tearDown(uid) {
      const directory = podDirectory(uid);
      for (const path of await mountsUnder(directory)) await unmount(path);
      // Below a mount that is still there lie others' files.
      const [left] = await mountsUnder(directory);
      if (left !== undefined) throw new Error(`${left} is still mounted`);
      await rm(directory, { recursive: true, force: true });
      onTornDown(uid);
    },
  };
}

const pluginOf = ({ configMap, secret, downwardAPI }: Volume) =>
  configMap ? "configmap" : secret ? "secret" : downwardAPI ? "downward-api" : "projected";

async function makeDirectory(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o750 });
  await chmod(path, mode);
}

const isDirectory = (path: string) =>
  stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );

const isMounted = async (path: string) => (await mountsUnder(path)).includes(path);

/** Secrets stay off the disk. */
async function ensureTmpfs(path: string): Promise<void> {
  if (await isMounted(path)) return;
  await mountTmpfs(path);
  await chmod(path, 0o777);
}
