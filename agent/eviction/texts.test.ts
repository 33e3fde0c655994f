import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Pod } from "../api/index.ts";
import { whyNotUnderPressure } from "./admission.ts";
import { findStorageExcess } from "./local-storage.ts";
import { renderEviction } from "./message.ts";
import type { Pressure, StarvedResource } from "./signals.ts";
import { parseThresholds } from "./thresholds.ts";
import type { PodUsage } from "./usage.ts";

const MIB = 2 ** 20;
const NOTHING: PodUsage = {
  memoryBytes: 0,
  processes: 0,
  containers: [],
  volumes: new Map(),
  ephemeralBytes: 0,
  ephemeralInodes: 0,
};
const met = parseThresholds({
  evictionHard: {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "pid.available": "10%",
  },
  evictionSoft: {},
  evictionMinimumReclaim: {},
  softGraceMs: {},
  enforcesPods: false,
});
const observations = {
  "memory.available": { available: 92_160 * 1024, capacity: 8192 * MIB },
  "nodefs.available": { available: 64 * MIB, capacity: 1000 * MIB },
  "nodefs.inodesFree": { available: 32_000, capacity: 655_360 },
  "pid.available": { available: 3000, capacity: 32_768 },
};

describe("renderEviction", () => {
  const pod = aPod({
    containers: [
      aContainer("app", { resources: { requests: { memory: "100Mi", "ephemeral-storage": "1Gi" } } }),
      aContainer("log"),
    ],
    initContainers: [aContainer("init")],
  });
  const usage: PodUsage = {
    ...NOTHING,
    memoryBytes: 400 * MIB,
    containers: [
      { name: "app", memoryBytes: 300 * MIB, rootfs: { bytes: MIB, inodes: 1 }, logs: { bytes: MIB, inodes: 1 } },
      { name: "log", memoryBytes: 1000, rootfs: { bytes: 512, inodes: 1 }, logs: { bytes: 512, inodes: 1 } },
      { name: "gone", memoryBytes: 5 * MIB },
    ],
  };

  it.each<{ resource: StarvedResource; want: string; offending: string; used: string }>([
    {
      resource: "memory",
      want:
        "The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. " +
        "Container app was using 300Mi, request is 100Mi, has larger consumption of memory. " +
        "Container log was using 1k, request is 0, has larger consumption of memory. ",
      offending: "app,log",
      used: "300Mi,1k",
    },
    {
      resource: "ephemeral-storage",
      want:
        "The node was low on resource: ephemeral-storage. Threshold quantity: 104857601, available: 64Mi. " +
        "Container log was using 1Ki, request is 0, has larger consumption of ephemeral-storage. ",
      offending: "log",
      used: "1Ki",
    },
    {
      resource: "inodes",
      want: "The node was low on resource: inodes. Threshold quantity: 32Ki, available: 32k. ",
      offending: "",
      used: "",
    },
    {
      resource: "pids",
      want: "The node was low on resource: pids. Threshold quantity: 3276, available: 3k. ",
      offending: "",
      used: "",
    },
  ])("tells of $resource", ({ resource, want, offending, used }) => {
    expect(renderEviction(pod, resource, { usage, met, observations })).toEqual({
      message: want,
      annotations: {
        offending_containers: offending,
        offending_containers_usage: used,
        starved_resource: resource,
      },
    });
  });

  it("tells of the pod as a whole that has asked for memory as a whole", () => {
    const whole = { ...pod, spec: { ...pod.spec, resources: { requests: { memory: "200Mi" } } } };
    const { message, annotations } = renderEviction(whole, "memory", {
      usage: { ...usage, containers: [] },
      met,
      observations,
    });
    expect(message).toContain("Pod web-0 was using 400Mi, request is 200Mi, has larger consumption of memory. ");
    expect(annotations).toMatchObject({ offending_pod: "web-0", offending_pod_usage: "400Mi" });
  });

  it("says no more than it knows", () => {
    const said = renderEviction(pod, "memory", { usage: undefined, met: [], observations: {} });
    expect(said).toEqual({ message: "The node was low on resource: memory. ", annotations: {} });
  });
});

describe("findStorageExcess (EVI-13)", () => {
  const limited = (limit: string | undefined, sizeLimit?: string): Pod =>
    aPod({
      containers: [
        aContainer("app", { resources: limit === undefined ? {} : { limits: { "ephemeral-storage": limit } } }),
      ],
      volumes: [{ name: "data", emptyDir: sizeLimit === undefined ? {} : { sizeLimit } }],
    });
  const taken = (parts: { layer?: number; logs?: number; volume?: number; all?: number }): PodUsage => ({
    ...NOTHING,
    containers: [
      {
        name: "app",
        rootfs: { bytes: parts.layer ?? 0, inodes: 1 },
        logs: { bytes: parts.logs ?? 0, inodes: 1 },
      },
    ],
    volumes: new Map([["data", { bytes: parts.volume ?? 0, inodes: 1 }]]),
    ephemeralBytes: parts.all ?? 0,
  });

  it.each<{ name: string; pod: Pod; usage: PodUsage; hasImageDisk?: boolean; want: string | undefined }>([
    {
      name: "no limits",
      pod: limited(undefined),
      usage: taken({ layer: 1e12, volume: 1e12, all: 2e12 }),
      want: undefined,
    },
    {
      name: "at the limit",
      pod: limited("1Ki", "1Ki"),
      usage: taken({ layer: 1024, volume: 1024, all: 1024 }),
      want: undefined,
    },
    {
      name: "an emptyDir past its limit",
      pod: limited(undefined, "1024Ki"),
      usage: taken({ volume: MIB + 1 }),
      want: 'Usage of EmptyDir volume "data" exceeds the limit "1Mi". ',
    },
    {
      name: "an emptyDir whose limit is 0",
      pod: limited(undefined, "0"),
      usage: taken({ volume: MIB }),
      want: undefined,
    },
    {
      name: "a container past its limit, with its logs (EVI-14)",
      pod: limited("1Gi"),
      usage: taken({ layer: 1000 * MIB, logs: 25 * MIB, all: 1025 * MIB }),
      want: 'Container app exceeded its local ephemeral storage limit "1Gi". ',
    },
    {
      name: "a layer on a disk of images does not count",
      pod: limited("1Gi"),
      usage: taken({ layer: 2000 * MIB, logs: 25 * MIB }),
      hasImageDisk: true,
      want: undefined,
    },
    {
      name: "the pod past the sum of its limits",
      pod: limited("1Gi"),
      usage: taken({ layer: 1000 * MIB, all: 2000 * MIB }),
      want: "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ",
    },
    {
      name: "the emptyDir is told first",
      pod: limited("1Gi", "1Mi"),
      usage: taken({ layer: 2000 * MIB, volume: 2 * MIB, all: 2002 * MIB }),
      want: 'Usage of EmptyDir volume "data" exceeds the limit "1Mi". ',
    },
  ])("$name", ({ pod, usage, hasImageDisk = false, want }) =>
    expect(findStorageExcess(pod, usage, { hasImageDisk })).toBe(want),
  );

  it("lets each container be that has no limit", () => {
    const pod = aPod({
      containers: [aContainer("a"), aContainer("b", { resources: { limits: { "ephemeral-storage": "1Mi" } } })],
    });
    const logs = (bytes: number) => ({ bytes, inodes: 1 });
    const usage = (b: number) => ({
      ...NOTHING,
      containers: [
        { name: "a", logs: logs(1e12) },
        { name: "b", logs: logs(b) },
      ],
    });
    expect(findStorageExcess(pod, usage(MIB), { hasImageDisk: false })).toBeUndefined();
    expect(findStorageExcess(pod, usage(MIB + 1), { hasImageDisk: false })).toContain("Container b exceeded");
  });
});

describe("whyNotUnderPressure", () => {
  const burstable = aPod({ containers: [aContainer("main", { resources: { requests: { memory: "1Mi" } } })] });
  const tolerant = (key: string) => aPod({ tolerations: [{ key, operator: "Exists", effect: "NoSchedule" }] });

  it.each<{ name: string; pod: Pod; pressures: Pressure[]; want: string | undefined }>([
    { name: "all is well", pod: aPod(), pressures: [], want: undefined },
    {
      name: "best effort, memory short",
      pod: aPod(),
      pressures: ["MemoryPressure"],
      want: "The node had condition: [MemoryPressure]. ",
    },
    { name: "burstable, memory short", pod: burstable, pressures: ["MemoryPressure"], want: undefined },
    {
      name: "best effort that tolerates it",
      pod: tolerant("node.kubernetes.io/memory-pressure"),
      pressures: ["MemoryPressure"],
      want: undefined,
    },
    {
      name: "best effort that tolerates something else",
      pod: tolerant("node.kubernetes.io/disk-pressure"),
      pressures: ["MemoryPressure"],
      want: "The node had condition: [MemoryPressure]. ",
    },
    {
      name: "disk short, whatever it asks for",
      pod: burstable,
      pressures: ["DiskPressure"],
      want: "The node had condition: [DiskPressure]. ",
    },
    {
      name: "disk short, whatever it tolerates",
      pod: tolerant("node.kubernetes.io/disk-pressure"),
      pressures: ["DiskPressure"],
      want: "The node had condition: [DiskPressure]. ",
    },
    {
      name: "memory and processes short",
      pod: burstable,
      pressures: ["PIDPressure", "MemoryPressure"],
      want: "The node had condition: [MemoryPressure PIDPressure]. ",
    },
    {
      name: "critical (EVI-07)",
      pod: aPod({ priority: 2_000_000_000 }),
      pressures: ["MemoryPressure", "DiskPressure", "PIDPressure"],
      want: undefined,
    },
    {
      name: "from a file of the node (EVI-07)",
      pod: aPod({}, { annotations: { "kubernetes.io/config.source": "file" } }),
      pressures: ["DiskPressure"],
      want: undefined,
    },
  ])("$name", ({ pod, pressures, want }) => expect(whyNotUnderPressure(pod, new Set(pressures))).toBe(want));
});
