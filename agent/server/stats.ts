import { readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import { printTime } from "../../shared/api/timestamp.ts";
import type { Pod } from "../api/index.ts";
import { machineCpu, machineMemory, podCgroupParent, readUsage } from "../cgroup/index.ts";
import type { ContainerStats } from "../cri/index.ts";
import { observeDisk } from "../eviction/index.ts";
import { json, type KubeletAnswer } from "./answer.ts";
import type { NodeState } from "./node-state.ts";
import { type NodeMeasurement, type PodMeasurement, renderSummary } from "./stats-summary.ts";

/** `GET /stats/summary`: what node, pods and containers use (kubelet's stats/v1alpha1 Summary). */
export async function statsSummary(state: NodeState): Promise<KubeletAnswer> {
  const time = printTime(Date.now());
  const running = state.pods().filter(({ status }) => status?.phase === "Running");
  const [stats, usages] = await Promise.all([state.runtime.listContainerStats(), state.measure(running)]);
  const pods = running.map(async (pod) => ({
    ...(await measurePod(state, pod, stats)),
    taken: usages.get(pod.metadata.uid),
  }));
  return json(renderSummary(await measureNode(state), await Promise.all(pods), time));
}

async function measureNode({ nodeName, disk, runtime }: NodeState): Promise<NodeMeasurement> {
  const [images] = await runtime.imageFsInfo().catch(() => []);
  const imageDirectory = images?.fsId?.mountpoint;
  return {
    disk: await observeDisk(disk),
    imageDisk: imageDirectory === undefined ? undefined : await observeDisk(imageDirectory).catch(() => undefined),
    imageBytes: images?.usedBytes?.value,
    nodeName,
    startTime: printTime(Date.now() - os.uptime() * 1000),
    capacityBytes: os.totalmem(),
    usage: {
      cpuNanoSeconds: machineCpu(readFileSync("/proc/stat", "utf8")),
      ...(await readUsage("/")),
      memory: machineMemory(readFileSync("/proc/meminfo", "utf8")),
    },
    rlimit: {
      maxpid: Number(readFileSync("/proc/sys/kernel/pid_max", "utf8")),
      curproc: readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length,
    },
  };
}

async function measurePod(
  { cgroups }: NodeState,
  pod: Pod,
  stats: ContainerStats[],
): Promise<Omit<PodMeasurement, "taken">> {
  const path = podCgroupParent(pod, cgroups);
  const own = stats.filter(({ attributes }) => attributes?.labels["io.kubernetes.pod.uid"] === pod.metadata.uid);
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const running = statuses.filter(({ state }) => state?.running);
  return {
    pod,
    usage: cgroups.version === 2 ? await readUsage(path) : undefined,
    containers: await Promise.all(
      running.map(async ({ name, state, containerID }) => {
        const id = containerID!.replace(/^.*:\/\//, "");
        const directory = cgroups.driver === "systemd" ? `cri-containerd-${id}.scope` : id;
        return {
          name,
          startTime: state!.running!.startedAt ?? "",
          usage: cgroups.version === 2 ? await readUsage(`${path}/${directory}`) : undefined,
          stats: own.find(({ attributes }) => attributes?.id === id),
        };
      }),
    ),
  };
}
