import { describe, expect, it } from "vitest";
import { changeReasons, decideConditions, decideReady, type PressureType } from "./conditions.ts";
import type { MachineFacts } from "./machine.ts";
import { renderNode } from "./node-object.ts";
import { decideStatusPatch } from "./status-patch.ts";

const NOW_MS = Date.parse("2026-01-02T03:04:05Z");
const condition = (type: string, status: boolean) => ({ type, status, reason: "Why", message: "Because" });
const healthy = {
  conditions: [condition("RuntimeReady", true), condition("NetworkReady", true)],
  answeredMs: NOW_MS,
  relistedMs: NOW_MS,
};

describe("Ready", () => {
  it.each([
    { name: "all is well", health: healthy, want: ["True", "KubeletReady", "kubelet is posting ready status"] },
    {
      name: "no pod network",
      health: {
        conditions: [
          condition("RuntimeReady", true),
          {
            type: "NetworkReady",
            status: false,
            reason: "NetworkPluginNotReady",
            message: "Network plugin returns error: cni plugin not initialized",
          },
        ],
        answeredMs: NOW_MS,
        relistedMs: NOW_MS,
      },
      want: [
        "False",
        "KubeletNotReady",
        "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized",
      ],
    },
    {
      name: "the runtime never answered",
      health: {},
      want: [
        "False",
        "KubeletNotReady",
        "[container runtime status check may not have completed yet, PLEG is not healthy: pleg has yet to be successful]",
      ],
    },
    {
      name: "the runtime answers, and does not tell what runs",
      health: { ...healthy, relistedMs: NOW_MS - 185_250 },
      want: [
        "False",
        "KubeletNotReady",
        "PLEG is not healthy: pleg was last seen active 3m5.25s ago; threshold is 3m0s",
      ],
    },
    {
      name: "the machine is about to go down",
      health: { ...healthy, isShuttingDown: true },
      want: ["False", "KubeletNotReady", "node is shutting down"],
    },
    {
      name: "the runtime was last listed as long ago as it may be",
      health: { ...healthy, relistedMs: NOW_MS - 180_000 },
      want: ["True", "KubeletReady", "kubelet is posting ready status"],
    },
    {
      name: "the runtime restarts",
      health: { ...healthy, answeredMs: NOW_MS - 30_000 },
      want: ["True", "KubeletReady", "kubelet is posting ready status"],
    },
    {
      name: "the runtime is down, and so was the network",
      health: { ...healthy, conditions: [condition("NetworkReady", false)], answeredMs: NOW_MS - 30_001 },
      want: [
        "False",
        "KubeletNotReady",
        "[container runtime is down, container runtime network not ready: NetworkReady=false reason:Why message:Because]",
      ],
    },
  ])("$name", ({ health, want }) => {
    const { status, reason, message } = decideReady(health, NOW_MS);
    expect([status, reason, message]).toEqual(want);
  });
});

const ON_V2 = { nowMs: NOW_MS, cgroupVersion: 2, pressures: new Set<PressureType>() } as const;

describe("conditions", () => {
  it("says what is missing on cgroup v1, in a condition of its own", () => {
    const last = decideConditions([], healthy, { ...ON_V2, cgroupVersion: 1 }).at(-1);
    expect(last).toMatchObject({ type: "CgroupV2", status: "False", reason: "CgroupV1" });
  });

  it("stand in upstream's order, Ready last", () => {
    expect(decideConditions([], healthy, ON_V2).map(({ type, status }) => `${type}=${status}`)).toEqual([
      "MemoryPressure=False",
      "DiskPressure=False",
      "PIDPressure=False",
      "Ready=True",
    ]);
  });

  it.each<{ pressure: PressureType; want: [string, string]; event: string; over: string }>([
    {
      pressure: "MemoryPressure",
      want: ["KubeletHasInsufficientMemory", "kubelet has insufficient memory available"],
      event: "NodeHasInsufficientMemory",
      over: "NodeHasSufficientMemory",
    },
    {
      pressure: "DiskPressure",
      want: ["KubeletHasDiskPressure", "kubelet has disk pressure"],
      event: "NodeHasDiskPressure",
      over: "NodeHasNoDiskPressure",
    },
    {
      pressure: "PIDPressure",
      want: ["KubeletHasInsufficientPID", "kubelet has insufficient PID available"],
      event: "NodeHasInsufficientPID",
      over: "NodeHasSufficientPID",
    },
  ])("$pressure comes and goes, each with its event", ({ pressure, want, event, over }) => {
    const calm = decideConditions([], healthy, ON_V2);
    const tense = decideConditions(calm, healthy, { ...ON_V2, pressures: new Set([pressure]) });
    const told = tense.filter(({ status, type }) => status === "True" && type !== "Ready");
    expect(told.map(({ type, reason, message }) => [type, reason, message])).toEqual([[pressure, ...want]]);
    expect(changeReasons(calm, tense)).toEqual([event]);
    expect(changeReasons(tense, calm)).toEqual([over]);
  });

  it("all have an event the first time", () => {
    expect(changeReasons([], decideConditions([], healthy, { ...ON_V2, cgroupVersion: 1 }))).toEqual([
      "NodeHasSufficientMemory",
      "NodeHasNoDiskPressure",
      "NodeHasSufficientPID",
      "NodeReady",
    ]);
  });

  it("keep their transition time while their status stays, and get a new one when it changes", () => {
    const before = "2026-01-01T00:00:00Z";
    const previous = [
      { type: "Ready", status: "Unknown", lastTransitionTime: before },
      { type: "DiskPressure", status: "False", lastTransitionTime: before },
    ];
    const times = decideConditions(previous, healthy, ON_V2).map((each) => [each.type, each.lastTransitionTime]);
    expect(Object.fromEntries(times)).toMatchObject({ DiskPressure: before, Ready: "2026-01-02T03:04:05Z" });
  });
});

const machine: MachineFacts = {
  hostname: "host",
  cpuMilli: 4000,
  memoryBytes: 8_125_292 * 1024,
  ephemeralBytes: 100 * 1024 ** 3,
  swapBytes: 0,
  maxPids: 32_768,
  hugepages: { "2Mi": 4 * 1024 ** 2, "1Gi": 0 },
  machineId: "m",
  systemUuid: "s",
  bootId: "b",
  kernelVersion: "6.1",
  osImage: "Debian GNU/Linux 12 (bookworm)",
  architecture: "amd64",
  cgroupVersion: 2,
};
const inputs = {
  nodeName: "n1",
  machine,
  addresses: ["10.0.0.5"],
  kubeletVersion: "v1.36.2+hearth.0",
  runtime: { version: "0.1.0", runtimeName: "containerd", runtimeVersion: "v1.6.20", runtimeApiVersion: "v1" },
  images: [],
  conditions: [],
  reserved: [],
  abilities: { runtimeHandlers: [], features: null },
};

describe("the Node", () => {
  it("says what a kubelet says", () => {
    expect(renderNode(inputs, [])).toMatchObject({
      metadata: {
        name: "n1",
        labels: {
          "kubernetes.io/hostname": "n1",
          "kubernetes.io/os": "linux",
          "kubernetes.io/arch": "amd64",
          "beta.kubernetes.io/os": "linux",
          "beta.kubernetes.io/arch": "amd64",
        },
      },
      status: {
        addresses: [
          { type: "InternalIP", address: "10.0.0.5" },
          { type: "Hostname", address: "n1" },
        ],
        capacity: {
          cpu: "4",
          memory: "8125292Ki",
          pods: "110",
          "ephemeral-storage": "104857600Ki",
          "hugepages-2Mi": "4Mi",
          "hugepages-1Gi": "0",
        },
        allocatable: { cpu: "4", memory: "8121196Ki", "hugepages-2Mi": "4Mi" },
        daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
        declaredFeatures: ["RestartAllContainersOnContainerExits"],
        nodeInfo: { containerRuntimeVersion: "containerd://1.6.20", kubeletVersion: "v1.36.2+hearth.0" },
      },
    });
  });

  it("promises what is not reserved, and never less than nothing", () => {
    const reserved: Record<string, string>[] = [
      { cpu: "500m", memory: "1Gi", "ephemeral-storage": "999Ti" },
      { cpu: "250m", pid: "10" },
    ];
    expect(renderNode({ ...inputs, reserved }, []).status?.allocatable).toEqual({
      cpu: "3250m",
      memory: "7072620Ki",
      pods: "110",
      "ephemeral-storage": "0",
      "hugepages-2Mi": "4Mi",
      "hugepages-1Gi": "0",
    });
  });

  it("tells what the runtime and its handlers can do, and nothing of a runtime that does not tell", () => {
    const runtimeHandlers = [
      { name: "sandboxed", features: null },
      { name: "", features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
    ];
    const abilities = { runtimeHandlers, features: { supplementalGroupsPolicy: true } };
    expect(renderNode({ ...inputs, abilities }, []).status).toMatchObject({
      features: { supplementalGroupsPolicy: true },
      runtimeHandlers: [
        { name: "", features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
        { name: "sandboxed", features: { recursiveReadOnlyMounts: false, userNamespaces: false } },
      ],
    });
    const silent = renderNode(inputs, []).status;
    expect([silent?.features, silent?.runtimeHandlers]).toEqual([undefined, undefined]);
  });

  it("names at most fifty images, the largest first, each with its digests before its tags", () => {
    const images = Array.from({ length: 60 }, (_, i) => ({
      id: `sha256:${i}`,
      repoTags: [`t${i}`],
      repoDigests: [`d${i}`],
      size: i,
      uid: null,
      username: "",
      pinned: false,
    }));
    const rendered = renderNode({ ...inputs, images }, []).status?.images ?? [];
    expect([rendered.length, rendered[0]]).toEqual([50, { names: ["d59", "t59"], sizeBytes: 59 }]);
  });
});

describe("the status is reported", () => {
  const ours = { ...renderNode(inputs, []).status, conditions: decideConditions([], healthy, ON_V2) };
  const reordered = JSON.parse(JSON.stringify(ours)) as typeof ours;
  reordered.nodeInfo = Object.fromEntries(Object.entries(reordered.nodeInfo!).reverse()) as typeof ours.nodeInfo;

  it.each([
    { name: "not when nothing is new", known: reordered, sinceMs: 299_999, want: undefined },
    { name: "after five minutes, as a sign of life", known: reordered, sinceMs: 300_000, want: ["conditions"] },
    {
      name: "at once when a condition changed",
      known: { ...ours, conditions: [{ type: "Ready", status: "Unknown" }] },
      sinceMs: 0,
      want: ["conditions"],
    },
    {
      name: "with only what changed",
      known: { ...ours, images: [{ names: ["x"], sizeBytes: 1 }] },
      sinceMs: 0,
      want: ["conditions", "images"],
    },
    {
      name: "whole at first",
      known: {},
      sinceMs: 0,
      want: expect.arrayContaining(["addresses", "capacity", "nodeInfo"]),
    },
  ])("$name", ({ known, sinceMs, want }) => {
    const patch = decideStatusPatch(known, ours, sinceMs) as { status: object } | undefined;
    expect(patch && Object.keys(patch.status).sort()).toEqual(want);
  });

  it("with all its addresses in the place of those that were: two have one type, which is the list's key", () => {
    const { addresses } = renderNode({ ...inputs, addresses: ["10.0.0.5", "fd00::5"] }, []).status ?? {};
    expect(decideStatusPatch(ours, { ...ours, addresses: addresses! }, 0)).toMatchObject({
      status: {
        addresses: [
          { type: "InternalIP", address: "10.0.0.5" },
          { type: "InternalIP", address: "fd00::5" },
          { type: "Hostname", address: "n1" },
          { $patch: "replace" },
        ],
      },
    });
  });

  it("takes away what was said of cgroup v1 before the machine changed over", () => {
    const known = { ...ours, conditions: [...ours.conditions, { type: "CgroupV2", status: "False" as const }] };
    const patch = decideStatusPatch(known, ours, 300_000) as { status: { conditions: object[] } };
    expect(patch.status.conditions).toContainEqual({ $patch: "delete", type: "CgroupV2" });
  });
});
