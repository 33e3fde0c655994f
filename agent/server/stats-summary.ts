import type { Pod } from "../api/index.ts";
import type { CgroupUsage } from "../cgroup/index.ts";
import type { ContainerStats } from "../cri/index.ts";
import type { DiskUsage, Observation, PodUsage } from "../eviction/index.ts";

/** What was measured of a pod; usage is empty on cgroup v1, where the runtime's word is all there is. */
export interface PodMeasurement {
  pod: Pod;
  usage: CgroupUsage | undefined;
  /** Of the disk; undefined while it has nothing in the runtime. */
  taken: PodUsage | undefined;
  containers: { name: string; startTime: string; usage: CgroupUsage | undefined; stats: ContainerStats | undefined }[];
}

export interface NodeMeasurement {
  nodeName: string;
  /** RFC 3339: the machine's start. */
  startTime: string;
  capacityBytes: number;
  usage: CgroupUsage;
  /** Of volumes, logs and everything else of a pod. */
  disk: Disk;
  /** Of images and writable layers; undefined while the runtime does not say. */
  imageDisk: Disk | undefined;
  /** What the images take of it. */
  imageBytes: number | undefined;
  rlimit: { maxpid: number; curproc: number };
}

interface Disk {
  bytes: Observation;
  inodes: Observation;
}

/** stats/v1alpha1 Summary. @param time RFC 3339, of the measurement */
export const renderSummary = (node: NodeMeasurement, pods: PodMeasurement[], time: string): object => ({
  node: {
    nodeName: node.nodeName,
    startTime: node.startTime,
    ...renderUsage(node.usage, time, node.capacityBytes),
    fs: renderDisk(node.disk, time),
    ...(node.imageDisk && {
      runtime: { imageFs: { ...renderDisk(node.imageDisk, time), usedBytes: node.imageBytes } },
    }),
    rlimit: { time, ...node.rlimit },
  },
  pods: pods.map(({ pod, usage, taken, containers }) => ({
    podRef: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
    startTime: pod.status?.startTime ?? time,
    containers: containers.map((container) => ({
      name: container.name,
      startTime: container.startTime,
      ...(container.usage?.memory ? renderUsage(container.usage, time) : renderRuntimeStats(container.stats, time)),
      ...renderLayers(node, container.stats, time),
      ...renderLogs(node, taken?.containers.find(({ name }) => name === container.name)?.logs, time),
    })),
    ...(usage?.memory && renderUsage(usage, time)),
    ...(taken && {
      volume: [...taken.volumes].map(([name, volume]) => ({ ...renderTaken(node.disk, volume, time), name })),
      "ephemeral-storage": renderTaken(node.disk, { bytes: taken.ephemeralBytes, inodes: taken.ephemeralInodes }, time),
    }),
    ...(usage?.processes !== undefined && { process_stats: { process_count: usage.processes } }),
  })),
});

/** @param capacityBytes what there is to use, where no limit says it */
function renderUsage(
  { cpuNanoSeconds, memory, swapBytes, pressure }: CgroupUsage,
  time: string,
  capacityBytes?: number,
) {
  const limit = memory?.limitBytes ?? capacityBytes;
  const { limitBytes: _, ...amounts } = memory ?? {};
  return {
    ...(cpuNanoSeconds !== undefined && {
      cpu: { time, usageCoreNanoSeconds: cpuNanoSeconds, ...(pressure.cpu && { psi: pressure.cpu }) },
    }),
    ...(memory && {
      memory: {
        time,
        ...(limit !== undefined && { availableBytes: Math.max(0, limit - memory.workingSetBytes) }),
        ...amounts,
        ...(pressure.memory && { psi: pressure.memory }),
      },
    }),
    ...(pressure.io && { io: { time, psi: pressure.io } }),
    ...(swapBytes !== undefined && { swap: { time, swapUsageBytes: swapBytes } }),
  };
}

function renderRuntimeStats(stats: ContainerStats | undefined, time: string) {
  const { cpu, memory } = stats ?? {};
  return {
    ...(cpu && {
      cpu: {
        time,
        ...(cpu.usageNanoCores && { usageNanoCores: cpu.usageNanoCores.value }),
        usageCoreNanoSeconds: cpu.usageCoreNanoSeconds?.value,
      },
    }),
    ...(memory && {
      memory: { time, usageBytes: memory.usageBytes?.value, workingSetBytes: memory.workingSetBytes?.value },
    }),
  };
}

function renderLayers({ imageDisk }: NodeMeasurement, stats: ContainerStats | undefined, time: string) {
  const { usedBytes, inodesUsed } = stats?.writableLayer ?? {};
  if (!usedBytes) return {};
  return { rootfs: renderTaken(imageDisk, { bytes: usedBytes.value, inodes: inodesUsed?.value ?? 0 }, time) };
}

const renderLogs = ({ disk }: NodeMeasurement, logs: DiskUsage | undefined, time: string) =>
  logs ? { logs: renderTaken(disk, logs, time) } : {};

/** All of a disk. */
const renderDisk = ({ bytes, inodes }: Disk, time: string) => ({
  time,
  availableBytes: bytes.available,
  capacityBytes: bytes.capacity,
  usedBytes: bytes.capacity - bytes.available,
  inodesFree: inodes.available,
  inodes: inodes.capacity,
  inodesUsed: inodes.capacity - inodes.available,
});

/** What something takes of it. */
const renderTaken = (disk: Disk | undefined, { bytes, inodes }: DiskUsage, time: string) => ({
  time,
  ...(disk && renderDisk(disk, time)),
  usedBytes: bytes,
  inodesUsed: inodes,
});
