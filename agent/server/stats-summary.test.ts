import { describe, expect, it } from "vitest";
import { aPod } from "../../test/builders/kubelet.ts";
import type { ContainerStats } from "../cri/index.ts";
import { renderSummary } from "./stats-summary.ts";

const TIME = "2026-01-01T00:00:00Z";
const line = { total: 1, avg10: 0, avg60: 0, avg300: 0 };
const psi = { full: line, some: line };
const memory = { usageBytes: 100, workingSetBytes: 60, rssBytes: 50, pageFaults: 2, majorPageFaults: 1 };
const usage = {
  cpuNanoSeconds: 5,
  memory: { ...memory, limitBytes: 80 },
  swapBytes: 0,
  processes: 3,
  pressure: { cpu: psi, memory: psi, io: psi },
};
const stats = {
  attributes: null,
  cpu: { timestamp: 1, usageCoreNanoSeconds: { value: 7 }, usageNanoCores: null },
  memory: {
    timestamp: 1,
    workingSetBytes: { value: 9 },
    usageBytes: { value: 11 },
    availableBytes: null,
    rssBytes: null,
  },
  writableLayer: { timestamp: 1, fsId: null, usedBytes: { value: 4096 }, inodesUsed: { value: 2 } },
} as ContainerStats;
const node = {
  nodeName: "n1",
  startTime: TIME,
  capacityBytes: 1000,
  usage: { memory, pressure: {} },
  disk: { bytes: { available: 30, capacity: 90 }, inodes: { available: 3, capacity: 9 } },
  imageDisk: { bytes: { available: 50_000, capacity: 70_000 }, inodes: { available: 5, capacity: 7 } },
  imageBytes: 15_000,
  rlimit: { maxpid: 9, curproc: 1 },
};
const taken = {
  memoryBytes: 0,
  processes: 0,
  containers: [{ name: "main", logs: { bytes: 20, inodes: 1 } }],
  volumes: new Map([["data", { bytes: 10, inodes: 2 }]]),
  ephemeralBytes: 4126,
  ephemeralInodes: 5,
};
const onNodeDisk = { time: TIME, availableBytes: 30, capacityBytes: 90, inodesFree: 3, inodes: 9 };
const onImageDisk = { time: TIME, availableBytes: 50_000, capacityBytes: 70_000, inodesFree: 5, inodes: 7 };
type Summary = { node: Record<string, unknown>; pods: { containers: Record<string, unknown>[] }[] };
const render = (containerUsage: typeof usage | undefined) =>
  renderSummary(
    node,
    [
      {
        pod: aPod(),
        usage: containerUsage,
        taken,
        containers: [{ name: "main", startTime: TIME, usage: containerUsage, stats }],
      },
    ],
    TIME,
  ) as Summary;

describe("the summary", () => {
  it("tells of the node what is left of its memory", () => {
    expect(render(usage).node).toMatchObject({
      nodeName: "n1",
      memory: { time: TIME, availableBytes: 940, usageBytes: 100, workingSetBytes: 60 },
      rlimit: { maxpid: 9, curproc: 1 },
    });
  });

  it("tells what is taken of the disks (EVI-12)", () => {
    const summary = render(usage);
    expect(summary.node).toMatchObject({
      fs: { ...onNodeDisk, usedBytes: 60, inodesUsed: 6 },
      runtime: { imageFs: { ...onImageDisk, usedBytes: 15_000, inodesUsed: 2 } },
    });
    expect(summary.pods[0]).toMatchObject({
      volume: [{ ...onNodeDisk, name: "data", usedBytes: 10, inodesUsed: 2 }],
      "ephemeral-storage": { ...onNodeDisk, usedBytes: 4126, inodesUsed: 5 },
    });
  });

  it("tells usage and pressure of pods and containers", () => {
    const measured = {
      cpu: { time: TIME, usageCoreNanoSeconds: 5, psi },
      memory: { time: TIME, availableBytes: 20, ...memory, psi },
      io: { time: TIME, psi },
      swap: { time: TIME, swapUsageBytes: 0 },
    };
    expect(render(usage).pods[0]).toMatchObject({
      podRef: { name: "web-0", namespace: "default", uid: "u1" },
      ...measured,
      process_stats: { process_count: 3 },
    });
    expect(render(usage).pods[0]!.containers[0]).toEqual({
      name: "main",
      startTime: TIME,
      ...measured,
      rootfs: { ...onImageDisk, usedBytes: 4096, inodesUsed: 2 },
      logs: { ...onNodeDisk, usedBytes: 20, inodesUsed: 1 },
    });
  });

  it("takes the runtime's word on cgroup v1", () => {
    expect(render(undefined).pods[0]!.containers[0]).toMatchObject({
      cpu: { usageCoreNanoSeconds: 7 },
      memory: { workingSetBytes: 9, usageBytes: 11 },
    });
    expect(render(undefined).pods[0]).not.toHaveProperty("memory");
  });
});
