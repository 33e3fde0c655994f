import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Pod } from "../api/index.ts";
import type { ContainerStats, CriClient } from "../cri/index.ts";
import type { PodUsage } from "./rank.ts";

const run = promisify(execFile);
const DU_TIMEOUT_MS = 60_000;

export interface UsagePaths {
  /** The directory of a pod's logs. */
  logs(pod: Pod): string;
  /** That of its volumes on disk. */
  volumes(pod: Pod): string;
}

/** Bytes on disk of one container, and of each emptyDir. */
export interface StorageUsage {
  containers: Record<string, number>;
  emptyDirs: Record<string, number>;
}

const UID_LABEL = "io.kubernetes.pod.uid";
const NAME_LABEL = "io.kubernetes.container.name";

/** What the pods use of memory, and with `storage` of the disk too: that means to walk through their files. By uid. */
export async function measurePods(
  cri: Pick<CriClient, "listContainerStats">,
  pods: readonly Pod[],
  storage?: UsagePaths,
): Promise<Map<string, PodUsage>> {
  const byPod = Map.groupBy(await cri.listContainerStats(), ({ attributes }) => attributes?.labels[UID_LABEL]);
  const entries = pods.map(async (pod): Promise<[string, PodUsage] | undefined> => {
    const stats = byPod.get(pod.metadata.uid);
    if (!stats) return undefined;
    const containers = Object.fromEntries(stats.map((each) => [nameOf(each), memoryOf(each)]));
    const used = storage && (await measureStorage(pod, stats, storage));
    const sum = (amounts: Record<string, number> = {}) => Object.values(amounts).reduce((a, b) => a + b, 0);
    return [
      pod.metadata.uid,
      {
        memoryBytes: sum(containers),
        processes: 0,
        diskBytes: sum(used?.containers) + sum(used?.emptyDirs),
        containers,
      },
    ];
  });
  return new Map((await Promise.all(entries)).filter((entry) => entry !== undefined));
}

const nameOf = ({ attributes }: ContainerStats) => attributes?.labels[NAME_LABEL] ?? "";
const memoryOf = ({ memory }: ContainerStats) => memory?.workingSetBytes?.value ?? 0;

/** Writable layers and logs by container, and emptyDir volumes on disk (EVI-12). */
export async function measureStorage(pod: Pod, stats: ContainerStats[], paths: UsagePaths): Promise<StorageUsage> {
  const containers: Record<string, number> = {};
  for (const each of stats) {
    const logs = await diskBytes(join(paths.logs(pod), nameOf(each)));
    containers[nameOf(each)] = logs + (each.writableLayer?.usedBytes?.value ?? 0);
  }
  const emptyDirs: Record<string, number> = {};
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    if (!emptyDir || emptyDir.medium === "Memory") continue;
    emptyDirs[name] = await diskBytes(join(paths.volumes(pod), "kubernetes.io~empty-dir", name));
  }
  return { containers, emptyDirs };
}

/** Files that are spread over blocks count as what they take, as with the kubelet. 0 where there is nothing. */
async function diskBytes(path: string): Promise<number> {
  const { stdout } = await run("du", ["-sx", "-B1", "--", path], { timeout: DU_TIMEOUT_MS }).catch(
    // Files that vanish meanwhile make it fail, and it still tells the sum.
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? "" }),
  );
  return Number(/^(\d+)/.exec(stdout)?.[1] ?? 0);
}
