import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../api/index.ts";
import type { PodAddresses } from "./field-value.ts";
import { renderHostNetworkHostsFile, renderHostsFile } from "./hosts-file.ts";
import { mountsUnder, unmount } from "./mount-table.ts";
import { pinPath } from "./pinned-path.ts";
import { findVolume, prepareVolume, type ReadyVolume, type SetUpDeps } from "./set-up-volume.ts";
import { usedVolumes } from "./used-volumes.ts";
import { VolumeError, type VolumeFailure } from "./volume-error.ts";

export interface VolumesOutcome {
  /** By the volume's name; without those that could not be brought up. */
  ready: Map<string, ReadyVolume>;
  /** Of all that failed: also of volumes that are ready, and whose content could not be brought up to date. */
  error?: VolumeError;
}

export interface FoundVolumes {
  /** Whether all that they are made of is there: what is left is work on this machine. */
  isComplete: boolean;
  /** Brings them up, and their content up to date. */
  setUp(): Promise<VolumesOutcome>;
}

export interface PodVolumes {
  /** Finds what the volumes are made of that the pod's containers mount. */
  find(pod: Pod, addresses: PodAddresses): Promise<FoundVolumes>;
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
  onTornDown = () => {},
  ...deps
}: SetUpDeps & {
  stateDir: string;
  /** The pod's directory is gone, with all that was remembered there. */
  onTornDown?: (uid: string) => void;
}): PodVolumes {
  const podDirectory = (uid: string) => join(stateDir, "pods", uid);
  /** hostPath volumes by pod, looked at once: what becomes of a path later is between the host and the pod. */
  const found = new Map<string, Map<string, ReadyVolume>>();

  return {
    podDirectory,
    async find(pod, addresses) {
      const { uid } = pod.metadata;
      const directory = podDirectory(uid);
      const known = found.get(uid) ?? new Map<string, ReadyVolume>();
      const volumes = usedVolumes(pod);
      const prepared = volumes.map(async (volume) => {
        const up = known.get(volume.name);
        return up ? async () => up : prepareVolume(deps, { pod, volume, addresses, directory });
      });
      const isComplete = (await Promise.allSettled(prepared)).every(({ status }) => status === "fulfilled");
      const setUp = async (): Promise<VolumesOutcome> => {
        const results = await Promise.allSettled(prepared.map(async (preparation) => (await preparation)()));
        const ready = new Map<string, ReadyVolume>();
        const failures: VolumeFailure[] = [];
        for (const [index, result] of results.entries()) {
          const volume = volumes[index]!;
          const { name } = volume;
          if (result.status === "fulfilled") {
            ready.set(name, result.value);
            if (volume.hostPath) found.set(uid, known.set(name, result.value));
          } else {
            failures.push({ volume: name, cause: result.reason });
            const stale = await findVolume(directory, volume);
            if (stale) ready.set(name, stale);
          }
        }
        return { ready, ...(failures.length > 0 && { error: new VolumeError(failures) }) };
      };
      return { isComplete, setUp };
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
      found.delete(uid);
      onTornDown(uid);
    },
  };
}
