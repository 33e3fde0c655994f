import { describe, expect, it } from "vitest";
import { decideCgroupSettings } from "./cgroup-settings.ts";
import { parseDurationMs } from "./duration.ts";
import { parseKubeletConfiguration } from "./kubelet-configuration.ts";
import { evictionThresholds, kubeletSettings } from "./kubelet-settings.ts";

const machine = {
  cgroupVersion: 2 as const,
  cpuMilli: 4000,
  memoryBytes: 1000,
  swapBytes: 10,
  maxPids: 100,
  hugepages: { "2Mi": 0, "1Gi": 2 ** 30 },
};
const decide = (text: string, facts: Partial<typeof machine> = {}) =>
  decideCgroupSettings(
    parseKubeletConfiguration(text),
    { ...machine, ...facts },
    { driver: "systemd", defaultRoot: "/" },
  );

it("is the kubelet's defaults without a file", () => {
  expect(parseKubeletConfiguration("")).toMatchObject({
    kind: "KubeletConfiguration",
    enforceNodeAllocatable: ["pods"],
    podPidsLimit: -1,
    cpuCFSQuotaPeriod: "100ms",
  });
});

it.each([
  ["sytemReserved: {}", "sytemReserved"],
  ["podPidsLimit: many", "podPidsLimit"],
  ["cpuCFSQuotaPeriod: soon", "cpuCFSQuotaPeriod: is not a duration like 100ms"],
  ["systemReserved: { cpu: lots }", "systemReserved.cpu"],
  ["memoryThrottlingFactor: 2", "memoryThrottlingFactor"],
  [
    "enforceNodeAllocatable: [pods, kube-reserved]",
    'kubeReservedCgroup: must be set, since enforceNodeAllocatable has "kube-reserved"',
  ],
  ["containerLogMaxFiles: 1", "containerLogMaxFiles"],
  ["containerLogMonitorInterval: 2s", "containerLogMonitorInterval: must be 3s or more"],
  ["shutdownGracePeriod: 500ms", "must be either zero or otherwise >= 1 sec"],
  ["{ shutdownGracePeriod: 5s, shutdownGracePeriodCriticalPods: 10s }", "must be <= shutdownGracePeriod 5s"],
  [
    "{ shutdownGracePeriod: 5s, shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 1 }] }",
    "cannot be specified together with shutdownGracePeriod",
  ],
  ["topologyManagerPolicy: numa", "topologyManagerPolicy"],
  ["topologyManagerScope: node", "topologyManagerScope"],
  ["memoryManagerPolicy: static", "memoryManagerPolicy"],
  [
    'reservedMemory: [{ numaNode: 0, limits: { cpu: "1" } }]',
    'the limit type "cpu" is not supported, only [memory hugepages-<HugePageSize>] is accepted',
  ],
  ["reservedMemory: [{ numaNode: 0, limits: { memory: 0 } }]", "reserved memory may not be zero"],
  [
    "reservedMemory: [{ numaNode: 0, limits: { memory: 1Gi } }, { numaNode: 0, limits: { memory: 2Gi } }]",
    'the reserved memory has a duplicate value for NUMA node 0 and resource "memory"',
  ],
  ["imageGCLowThresholdPercent: 85", "must be less than imageGCHighThresholdPercent 85"],
  ["{ imageMinimumGCAge: 5m, imageMaximumGCAge: 5m }", "must be greater than imageMinimumGCAge 5m"],
  ["evictionHard: { memory.available: lots }", "evictionHard.memory.available: is neither an amount nor a percentage"],
  ["evictionHard: { memory.left: 5% }", "evictionHard"],
  ["evictionHard: { containerfs.available: 5% }", "evictionHard"],
  [
    "evictionSoft: { memory.available: 1Gi }",
    "evictionSoft.memory.available: grace period must be specified for the soft eviction threshold",
  ],
  ["[]", "expected object"],
])("refuses %s", (text, want) => expect(() => parseKubeletConfiguration(text)).toThrow(want));

const KUBELETS_OWN = {
  "memory.available": "100Mi",
  "nodefs.available": "10%",
  "nodefs.inodesFree": "5%",
  "imagefs.available": "15%",
  "imagefs.inodesFree": "5%",
};

it.each([
  { name: "the kubelet's own without any (EVI-03)", text: "", want: KUBELETS_OWN },
  {
    name: "one's own in their place (EVI-11)",
    text: 'evictionHard: { imagefs.available: "0%" }',
    want: { "imagefs.available": "0%" },
  },
  {
    name: "both, where they are to be merged",
    text: "{ evictionHard: { memory.available: 1Gi, pid.available: 10% }, mergeDefaultEvictionSettings: true }",
    want: { ...KUBELETS_OWN, "memory.available": "1Gi", "pid.available": "10%" },
  },
])("evicts at $name", ({ text, want }) => expect(parseKubeletConfiguration(text).evictionHard).toEqual(want));

it("knows thresholds by what they say", () => {
  const text = `
evictionSoft: { nodefs.available: 20% }
evictionSoftGracePeriod: { nodefs.available: 1m30s }
evictionMinimumReclaim: { nodefs.available: 1Gi }
`;
  const thresholds = evictionThresholds(parseKubeletConfiguration(text));
  expect(thresholds.map(({ signal, graceMs, minReclaim }) => [signal, graceMs, minReclaim !== undefined])).toEqual([
    ["memory.available", 0, false],
    ["nodefs.available", 0, true],
    ["nodefs.inodesFree", 0, false],
    ["imagefs.available", 0, false],
    ["imagefs.inodesFree", 0, false],
    ["nodefs.available", 90_000, true],
    ["allocatableMemory.available", 0, false],
  ]);
});

it.each([
  { name: "nothing", text: "", want: [] },
  {
    name: "critical pods last",
    text: "{ shutdownGracePeriod: 30s, shutdownGracePeriodCriticalPods: 10s }",
    want: [
      { priority: 0, graceSeconds: 20 },
      { priority: 2_000_000_000, graceSeconds: 10 },
    ],
  },
  {
    name: "by priority",
    text: `shutdownGracePeriodByPodPriority:
- { priority: 1000, shutdownGracePeriodSeconds: 120 }
- { priority: -5, shutdownGracePeriodSeconds: 0 }`,
    want: [
      { priority: -5, graceSeconds: 0 },
      { priority: 1000, graceSeconds: 120 },
    ],
  },
])("lets a shutdown wait for $name", ({ text, want }) => {
  expect(kubeletSettings(parseKubeletConfiguration(text)).shutdownPeriods).toEqual(want);
});

it("takes what binds containers to CPUs and memory, options as YAML writes them", () => {
  const text = `
cpuManagerPolicy: static
cpuManagerPolicyOptions: { full-pcpus-only: true, align-by-socket: "false" }
memoryManagerPolicy: Static
reservedMemory: [{ numaNode: 0, limits: { memory: 1Gi, hugepages-2Mi: 2Mi } }]
topologyManagerPolicy: single-numa-node
topologyManagerScope: pod
topologyManagerPolicyOptions: { max-allowable-numa-nodes: 16 }
`;
  expect(parseKubeletConfiguration(text)).toMatchObject({
    cpuManagerPolicyOptions: { "full-pcpus-only": "true", "align-by-socket": "false" },
    reservedMemory: [{ numaNode: 0, limits: { memory: "1Gi", "hugepages-2Mi": "2Mi" } }],
    topologyManagerPolicyOptions: { "max-allowable-numa-nodes": "16" },
  });
  expect(parseKubeletConfiguration("")).toMatchObject({
    cpuManagerPolicyOptions: {},
    memoryManagerPolicy: "None",
    reservedMemory: [],
    topologyManagerPolicy: "none",
    topologyManagerScope: "container",
    topologyManagerPolicyOptions: {},
  });
});

it.each([
  ["100ms", 100],
  ["5m0s", 300_000],
  ["1.5s", 1500],
  ["5", undefined],
  ["", undefined],
])("%s is %s ms", (text, want) => expect(parseDurationMs(text)).toBe(want));

describe("decideCgroupSettings", () => {
  it("takes defaults", () => {
    expect(decide("")).toEqual({
      version: 2,
      driver: "systemd",
      root: [],
      memoryBytes: 1000,
      allocatable: { cpuMilli: 4000, memoryBytes: 1000, pids: 100 },
      reserved: [],
      swapBytes: 10,
      hugePageSizes: ["2MB", "1GB"],
      enforcesCpuLimits: true,
      cpuPeriod: 100_000,
      podPidsLimit: -1,
      killsGroups: true,
      memoryThrottlingFactor: undefined,
      reservesMemory: false,
      swapBehavior: "NoSwap",
    });
  });

  const reserves = `
systemReserved: { cpu: 500m, memory: "300", pid: 10 }
kubeReserved: { cpu: "1", memory: "900" }
`;
  it.each([
    { name: "reserves", text: reserves, want: { allocatable: { cpuMilli: 2500, memoryBytes: 0, pids: 90 } } },
    {
      name: "reserves that are not enforced",
      text: `${reserves}enforceNodeAllocatable: [none]`,
      want: { allocatable: { cpuMilli: 4000, memoryBytes: 1000 } },
    },
    {
      name: "the system's own cgroup",
      text: `${reserves}enforceNodeAllocatable: [pods, system-reserved]\nsystemReservedCgroup: /system.slice`,
      want: {
        reserved: [
          {
            of: "system",
            onlyCpu: false,
            cgroup: "/system.slice",
            name: ["system"],
            limits: { cpuWeight: 20, memoryMax: 300, pidsMax: 10 },
          },
        ],
      },
    },
    {
      name: "the weight alone of the node's daemons",
      text: `${reserves}enforceNodeAllocatable: [pods, kube-reserved-compressible]\nkubeReservedCgroup: /k.slice`,
      want: { reserved: [{ of: "kube", onlyCpu: true, cgroup: "/k.slice", name: ["k"], limits: { cpuWeight: 39 } }] },
    },
    { name: "a root", text: "cgroupRoot: /kubelet.slice", want: { root: ["kubelet"] } },
    { name: "a period", text: "cpuCFSQuotaPeriod: 10ms", want: { cpuPeriod: 10_000 } },
    { name: "no quota", text: "cpuCFSQuota: false", want: { enforcesCpuLimits: false } },
    { name: "one process killed", text: "singleProcessOOMKill: true", want: { killsGroups: false } },
    { name: "swap", text: "memorySwap: { swapBehavior: LimitedSwap }", want: { swapBehavior: "LimitedSwap" } },
    { name: "memory kept", text: "memoryReservationPolicy: TieredReservation", want: { reservesMemory: true } },
    { name: "throttling", text: "memoryThrottlingFactor: 0.8", want: { memoryThrottlingFactor: 0.8 } },
  ])("takes $name", ({ text, want }) => expect(decide(text)).toMatchObject(want));

  it("kills single processes on version 1, which has no groups", () => {
    expect(
      decideCgroupSettings(
        parseKubeletConfiguration(""),
        { ...machine, cgroupVersion: 1 },
        { driver: "cgroupfs", defaultRoot: "/x" },
      ),
    ).toMatchObject({ killsGroups: false, root: ["x"] });
  });
});
