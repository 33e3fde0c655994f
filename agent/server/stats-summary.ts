import type { Pod } from "../api/index.ts";
import type { CgroupUsage } from "../cgroup/index.ts";
import type { ContainerStats } from "../cri/index.ts";

/** What was measured of a pod; usage is empty on cgroup v1, where the runtime's word is all there is. */
export interface PodMeasurement {
  pod: Pod;
  usage: CgroupUsage | undefined;
  containers: { name: string; startTime: string; usage: CgroupUsage | undefined; stats: ContainerStats | undefined }[];
}

export interface NodeMeasurement {
  nodeName: string;
  /** RFC 3339: the machine's start. */
  startTime: string;
  capacityBytes: number;
  usage: CgroupUsage;
  rlimit: { maxpid: number; curproc: number };
}

/** stats/v1alpha1 Summary. @param time RFC 3339, of the measurement */
export const renderSummary = (node: NodeMeasurement, pods: PodMeasurement[], time: string): object => ({
  node: {
    nodeName: node.nodeName,
    startTime: node.startTime,
    ...renderUsage(node.usage, time, node.capacityBytes),
    rlimit: { time, ...node.rlimit },
  },
  pods: pods.map(({ pod, usage, containers }) => ({
    podRef: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
    startTime: pod.status?.startTime ?? time,
    containers: containers.map((container) => ({
      name: container.name,
      startTime: container.startTime,
      ...(container.usage?.memory ? renderUsage(container.usage, time) : renderRuntimeStats(container.stats, time)),
      ...renderRootfs(container.stats, time),
    })),
    ...(usage?.memory && renderUsage(usage, time)),
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

const renderRootfs = (stats: ContainerStats | undefined, time: string) =>
  stats?.writableLayer
    ? {
        rootfs: {
          time,
          usedBytes: stats.writableLayer.usedBytes?.value,
          inodesUsed: stats.writableLayer.inodesUsed?.value,
        },
      }
    : {};
