import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Pod } from "../api/index.ts";
import { rankPods } from "./rank.ts";
import { SIGNALS, type Signal } from "./signals.ts";
import { type ContainerUsage, type DiskUsage, NO_DISK, type PodUsage } from "./usage.ts";

interface Candidate {
  uid: string;
  requests?: Record<string, string>;
  priority?: number;
  /** Undefined: it could not be measured. */
  usage?: Partial<PodUsage>;
}

const disk = (bytes: number, inodes = 0): DiskUsage => ({ bytes, inodes });
const on = (parts: Partial<ContainerUsage>, volume = NO_DISK): Partial<PodUsage> => ({
  containers: [{ name: "main", ...parts }],
  volumes: new Map([["data", volume]]),
});

const podOf = ({ uid, requests = {}, priority }: Candidate): Pod =>
  aPod(
    {
      ...(priority !== undefined && { priority }),
      containers: [aContainer("main", { resources: { requests } })],
      volumes: [{ name: "data", emptyDir: {} }],
    },
    { uid },
  );

const CASES: { name: string; signal: Signal; hasImageDisk?: boolean; candidates: Candidate[]; want: string[] }[] = [
  {
    name: "who uses more than asked for goes first, whatever the priority (EVI-06)",
    signal: "memory.available",
    candidates: [
      { uid: "within", requests: { memory: "100" }, priority: -5, usage: { memoryBytes: 100 } },
      { uid: "over", requests: { memory: "100" }, priority: 1000, usage: { memoryBytes: 101 } },
    ],
    want: ["over", "within"],
  },
  {
    name: "among them the lower priority (EVI-06)",
    signal: "memory.available",
    candidates: [
      { uid: "high", priority: 10, usage: { memoryBytes: 900 } },
      { uid: "low", priority: 1, usage: { memoryBytes: 10 } },
      { uid: "none", usage: { memoryBytes: 10 } },
    ],
    want: ["none", "low", "high"],
  },
  {
    name: "then the most over its request (EVI-06)",
    signal: "memory.available",
    candidates: [
      { uid: "100 over", requests: { memory: "900" }, usage: { memoryBytes: 1000 } },
      { uid: "200 over", usage: { memoryBytes: 200 } },
    ],
    want: ["200 over", "100 over"],
  },
  {
    name: "within their requests, who has the least left",
    signal: "allocatableMemory.available",
    candidates: [
      { uid: "half", requests: { memory: "1000" }, usage: { memoryBytes: 500 } },
      { uid: "nearly all", requests: { memory: "1000" }, usage: { memoryBytes: 900 } },
    ],
    want: ["nearly all", "half"],
  },
  {
    name: "best effort before guaranteed, since it has asked for nothing (EVI-06)",
    signal: "memory.available",
    candidates: [
      { uid: "guaranteed", requests: { memory: "1Gi" }, usage: { memoryBytes: 2 ** 30 } },
      { uid: "best effort", usage: { memoryBytes: 1 } },
    ],
    want: ["best effort", "guaranteed"],
  },
  {
    name: "who cannot be measured goes first of all",
    signal: "memory.available",
    candidates: [
      { uid: "known", usage: { memoryBytes: 10_000 } },
      { uid: "unknown", priority: 1000 },
    ],
    want: ["unknown", "known"],
  },
  {
    name: "processes: by priority, then by their number",
    signal: "pid.available",
    candidates: [
      { uid: "few", usage: { processes: 1 } },
      { uid: "many", usage: { processes: 9 } },
      { uid: "important", priority: 1, usage: { processes: 99 } },
    ],
    want: ["many", "few", "important"],
  },
  {
    name: "one disk: layers, logs and volumes count",
    signal: "nodefs.available",
    candidates: [
      { uid: "layer", usage: on({ rootfs: disk(30) }) },
      { uid: "logs", usage: on({ logs: disk(40) }) },
      { uid: "volume", usage: on({}, disk(50)) },
      { uid: "all", usage: on({ rootfs: disk(20), logs: disk(20) }, disk(20)) },
    ],
    want: ["all", "volume", "logs", "layer"],
  },
  {
    name: "one disk: the same for images",
    signal: "imagefs.available",
    candidates: [
      { uid: "layer", usage: on({ rootfs: disk(30) }) },
      { uid: "volume", usage: on({}, disk(50)) },
    ],
    want: ["volume", "layer"],
  },
  {
    name: "a disk of images: only layers lie there",
    signal: "imagefs.available",
    hasImageDisk: true,
    candidates: [
      { uid: "layer", usage: on({ rootfs: disk(30) }) },
      { uid: "logs", usage: on({ logs: disk(40) }, disk(50)) },
    ],
    want: ["layer", "logs"],
  },
  {
    name: "beside a disk of images: logs and volumes count",
    signal: "nodefs.available",
    hasImageDisk: true,
    candidates: [
      { uid: "layer", usage: on({ rootfs: disk(300) }) },
      { uid: "logs", usage: on({ logs: disk(40) }) },
    ],
    want: ["logs", "layer"],
  },
  {
    name: "who has asked for the room goes later",
    signal: "nodefs.available",
    candidates: [
      { uid: "asked", requests: { "ephemeral-storage": "1000" }, usage: on({ rootfs: disk(900) }) },
      { uid: "not asked", usage: on({ rootfs: disk(1) }) },
    ],
    want: ["not asked", "asked"],
  },
  {
    name: "inodes, for which nobody can ask",
    signal: "nodefs.inodesFree",
    candidates: [
      { uid: "few", usage: on({ rootfs: disk(900, 1) }) },
      { uid: "many", usage: on({ rootfs: disk(1, 9) }) },
      { uid: "none", usage: on({}) },
    ],
    want: ["many", "few", "none"],
  },
  {
    name: "inodes of a disk of images",
    signal: "imagefs.inodesFree",
    hasImageDisk: true,
    candidates: [
      { uid: "logs", usage: on({ logs: disk(0, 100) }) },
      { uid: "layer", usage: on({ rootfs: disk(0, 1) }) },
    ],
    want: ["layer", "logs"],
  },
];

describe("rankPods", () => {
  it.each(CASES)("$name", ({ signal, hasImageDisk = false, candidates, want }) => {
    const usages = new Map(candidates.map(({ uid, usage }) => [uid, usage && withDefaults(usage)]));
    for (const order of [candidates, candidates.toReversed()]) {
      const usageOf = ({ metadata }: Pod) => usages.get(metadata.uid);
      const ranked = rankPods(order.map(podOf), signal, { usageOf, hasImageDisk });
      expect(ranked.map(({ metadata }) => metadata.uid)).toEqual(want);
    }
  });

  it("has a case for each signal", () => {
    expect(new Set(CASES.map(({ signal }) => signal))).toEqual(new Set(SIGNALS));
  });

  it("counts neither what is in memory nor what does not go with the pod", () => {
    const volumes = [
      { name: "ram", emptyDir: { medium: "Memory" } },
      { name: "host", hostPath: { path: "/" } },
    ];
    const usage = withDefaults({
      volumes: new Map([
        ["ram", disk(1000)],
        ["host", disk(1000)],
      ]),
    });
    const hoarder = aPod({ volumes }, { uid: "hoarder" });
    const pods = [hoarder, podOf({ uid: "writer" })];
    const usageOf = (pod: Pod) => (pod === hoarder ? usage : withDefaults(on({ logs: disk(1) })));
    const ranked = rankPods(pods, "nodefs.available", { usageOf, hasImageDisk: false });
    expect(ranked.map(({ metadata }) => metadata.uid)).toEqual(["writer", "hoarder"]);
  });
});

function withDefaults(usage: Partial<PodUsage>): PodUsage {
  return {
    memoryBytes: 0,
    processes: 0,
    containers: [],
    volumes: new Map(),
    ephemeralBytes: 0,
    ephemeralInodes: 0,
    ...usage,
  };
}
