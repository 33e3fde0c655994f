import { join } from "node:path";
import type { Pod } from "../api/index.ts";
import { type CgroupSettings, podCgroupParent, readUsage } from "../cgroup/index.ts";
import type { ContainerStats, CriClient } from "../cri/index.ts";
import { measureDirectory } from "./disk-usage.ts";
import { isOnNodeDisk } from "./rank.ts";
import { addDisk, type ContainerUsage, type DiskUsage, NO_DISK, type PodUsage } from "./usage.ts";

export interface MeasureDeps {
  cri: Pick<CriClient, "listContainerStats">;
  cgroups: CgroupSettings;
  /** Where a pod's volumes are: `<directory>/volumes/kubernetes.io~<plugin>/<name>`. */
  podDirectory(uid: string): string;
  logDirectory(pod: Pod): string;
  nowMs(): number;
  /** How old what was measured of volumes may be (volumeStatsAggPeriod): walking through them costs. */
  volumesMs: number;
}

const UID_LABEL = "io.kubernetes.pod.uid";
const NAME_LABEL = "io.kubernetes.container.name";

/** @returns measures all of these pods; by uid. What cannot be measured of one is left out */
export function createMeasurement(deps: MeasureDeps): (pods: readonly Pod[]) => Promise<Map<string, PodUsage>> {
  const { cri, cgroups, volumesMs, nowMs } = deps;
  const volumes = new Map<string, { atMs: number; usage: ReadonlyMap<string, DiskUsage> }>();

  async function measureVolumes(pod: Pod): Promise<ReadonlyMap<string, DiskUsage>> {
    const { uid } = pod.metadata;
    const known = volumes.get(uid);
    if (known && nowMs() - known.atMs < volumesMs) return known.usage;
    const usage = new Map<string, DiskUsage>();
    for (const { name, emptyDir, configMap } of pod.spec.volumes ?? []) {
      const plugin = emptyDir ? "empty-dir" : configMap ? "configmap" : undefined;
      if (!plugin) continue;
      usage.set(name, await measureDirectory(join(deps.podDirectory(uid), "volumes", `kubernetes.io~${plugin}`, name)));
    }
    volumes.set(uid, { atMs: nowMs(), usage });
    return usage;
  }

  async function measurePod(pod: Pod, stats: readonly ContainerStats[]): Promise<PodUsage> {
    const own = cgroups.version === 2 ? await readUsage(podCgroupParent(pod, cgroups)) : undefined;
    const containers = await Promise.all(stats.map((each) => measureContainer(deps.logDirectory(pod), each)));
    const ofVolumes = await measureVolumes(pod);
    const onDisk = (pod.spec.volumes ?? []).filter(isOnNodeDisk).map(({ name }) => ofVolumes.get(name) ?? NO_DISK);
    const layers = containers.map(({ rootfs, logs }) => addDisk(rootfs ?? NO_DISK, logs));
    const ephemeral = [...onDisk, ...layers].reduce((total, each) => addDisk(total, each), NO_DISK);
    return {
      memoryBytes: own?.memory?.workingSetBytes ?? sum(containers.map(({ memoryBytes = 0 }) => memoryBytes)),
      processes: own?.processes ?? 0,
      containers,
      volumes: ofVolumes,
      ephemeralBytes: ephemeral.bytes,
      ephemeralInodes: ephemeral.inodes,
    };
  }

  return async (pods) => {
    const byPod = Map.groupBy(await cri.listContainerStats(), ({ attributes }) => attributes?.labels[UID_LABEL]);
    const wanted = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const uid of volumes.keys()) if (!wanted.has(uid)) volumes.delete(uid);
    const usages = new Map<string, PodUsage>();
    for (const pod of pods) {
      const stats = byPod.get(pod.metadata.uid);
      // One that has nothing in the runtime yet takes nothing.
      if (stats) usages.set(pod.metadata.uid, await measurePod(pod, stats));
    }
    return usages;
  };
}

async function measureContainer(logs: string, stats: ContainerStats): Promise<ContainerUsage> {
  const name = stats.attributes?.labels[NAME_LABEL] ?? "";
  const { usedBytes, inodesUsed } = stats.writableLayer ?? {};
  return {
    name,
    ...(stats.memory?.workingSetBytes && { memoryBytes: stats.memory.workingSetBytes.value }),
    ...(usedBytes && { rootfs: { bytes: usedBytes.value, inodes: inodesUsed?.value ?? 0 } }),
    logs: await measureDirectory(join(logs, name)),
  };
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
