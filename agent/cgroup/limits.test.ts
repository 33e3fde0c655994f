import { describe, expect, it } from "vitest";
import { aContainer, aPod, cgroupSettings } from "../../test/builders/kubelet.ts";
import type { Pod } from "../api/index.ts";
import { cpuQuota, cpuShares, cpuWeight } from "./cpu.ts";
import { limitFiles } from "./files.ts";
import { pageSizeName } from "./hugetlb.ts";
import { podLimits, qosLimits, reservedLimits } from "./limits.ts";
import { unitProperties } from "./unit-properties.ts";

const MI = 2 ** 20;
type Amounts = Record<string, string>;

const container = (requests: Amounts, limits: Amounts = {}, fields: object = {}) =>
  aContainer("c", { resources: { requests, limits }, ...fields });
const podOf = (...containers: ReturnType<typeof container>[]) => aPod({ containers });
const node = cgroupSettings();

it.each([
  [0, 2],
  [1, 2],
  [250, 256],
  [1000, 1024],
  [1_000_000, 262_144],
])("%i milli-cores are %i shares", (milli, want) => expect(cpuShares(milli)).toBe(want));

it.each([
  [2, 1],
  [102, 4],
  [972, 37],
  [1024, 39],
  [4096, 157],
  [262_144, 10_000],
])("%i shares are a weight of %i", (shares, want) => expect(cpuWeight(shares)).toBe(want));

it.each([
  [0, 100_000, 0],
  [1, 100_000, 1000],
  [500, 100_000, 50_000],
  [2000, 100_000, 200_000],
  [500, 10_000, 5000],
])("%i milli-cores in %i µs are a quota of %i", (milli, period, want) => expect(cpuQuota(milli, period)).toBe(want));

it.each([
  [65_536, "64KB"],
  [2 * MI, "2MB"],
  [1024 * MI, "1GB"],
])("pages of %i bytes are %s", (bytes, want) => expect(pageSizeName(bytes)).toBe(want));

describe("podLimits", () => {
  const period = 100_000;
  const max = { quota: "max", period } as const;
  const full = { cpu: "1", memory: "64Mi" };
  const cases: { name: string; pod: Pod; settings?: typeof node; want: object }[] = [
    { name: "best effort", pod: podOf(container({})), want: { cpuWeight: 1, cpuMax: max, memoryMax: "max" } },
    {
      name: "CoreDNS (RES-05)",
      pod: podOf(container({ cpu: "100m", memory: "70Mi" }, { memory: "170Mi" })),
      want: { cpuWeight: 4, cpuMax: max, memoryMax: 178_257_920 },
    },
    {
      name: "guaranteed: sums",
      pod: podOf(container(full, full), container(full, full)),
      want: { cpuWeight: 79, cpuMax: { quota: 200_000, period }, memoryMax: 128 * MI },
    },
    {
      name: "a container without a limit takes the pod's away (RES-06)",
      pod: podOf(container({}, full), container({}, { cpu: "1" })),
      want: { cpuMax: { quota: 200_000, period }, memoryMax: "max" },
    },
    {
      name: "so does an init container (RES-06)",
      pod: aPod({ containers: [container({}, full)], initContainers: [container({}, { cpu: "1" })] }),
      want: { cpuMax: { quota: 100_000, period }, memoryMax: "max" },
    },
    {
      name: "the largest init container, with the sidecar before it",
      pod: aPod({
        containers: [container({}, full)],
        initContainers: [container({}, full, { restartPolicy: "Always" }), container({}, { cpu: "3", memory: "64Mi" })],
      }),
      want: { cpuMax: { quota: 400_000, period }, memoryMax: 128 * MI },
    },
    {
      name: "the pod's own limits, whatever the containers have (RES-10)",
      pod: aPod({ containers: [container({})], resources: { limits: { memory: "32Mi" }, requests: { cpu: "2" } } }),
      want: { cpuWeight: cpuWeight(2048), cpuMax: max, memoryMax: 32 * MI },
    },
    {
      name: "overhead on top",
      pod: aPod({ containers: [container(full, full)], overhead: { cpu: "500m", memory: "64Mi" } }),
      want: { cpuMax: { quota: 150_000, period }, memoryMax: 128 * MI },
    },
    {
      name: "no quota where the node enforces none",
      pod: podOf(container(full, full)),
      settings: { ...node, enforcesCpuLimits: false },
      want: { cpuMax: max },
    },
    { name: "processes", pod: aPod(), settings: { ...node, podPidsLimit: 100 }, want: { pidsMax: 100 } },
    {
      name: "huge pages; other sizes get none",
      pod: podOf(container({ "hugepages-2Mi": "4Mi" }, { "hugepages-2Mi": "4Mi" })),
      settings: { ...node, hugePageSizes: ["2MB", "1GB"] },
      want: { hugetlb: { "2MB": 4 * MI, "1GB": 0 } },
    },
    {
      name: "burstable requests are protected from reclaim",
      pod: podOf(container({ memory: "64Mi" })),
      settings: { ...node, reservesMemory: true },
      want: { memoryLow: 64 * MI },
    },
    {
      name: "guaranteed ones more so",
      pod: podOf(container(full, full)),
      settings: { ...node, reservesMemory: true },
      want: { memoryMin: 64 * MI },
    },
  ];
  it.each(cases)("$name", ({ pod, settings = node, want }) => expect(podLimits(pod, settings)).toMatchObject(want));

  it("says nothing of processes without a limit", () => expect(podLimits(aPod(), node)).not.toHaveProperty("pidsMax"));
});

describe("qosLimits", () => {
  const pods = [
    podOf(container({ cpu: "650m", memory: "64Mi" })),
    podOf(container({ cpu: "300m" })),
    podOf(container({ cpu: "1", memory: "1Mi" }, { cpu: "1", memory: "1Mi" })),
    aPod(),
  ];
  const four = cgroupSettings({ allocatable: { cpuMilli: 4000, memoryBytes: 8_320_299_008, pids: 100 } });

  it("gives the node's pods what is allocatable (RES-03)", () => {
    expect(qosLimits(pods, four).node).toEqual({
      cpuWeight: 157,
      memoryMax: 8_320_299_008,
      pidsMax: 100,
      hugetlb: { "2MB": "max" },
      memoryMin: 0,
    });
  });

  it("lets burstable pods weigh what they ask for, and best-effort ones nothing (RES-04)", () => {
    const { burstable, bestEffort } = qosLimits(pods, four);
    expect(burstable.cpuWeight).toBe(37);
    expect(bestEffort.cpuWeight).toBe(1);
    expect(qosLimits([], four).burstable.cpuWeight).toBe(1);
  });

  it("covers what is promised below", () => {
    const { node, burstable } = qosLimits(pods, { ...four, reservesMemory: true });
    expect(node.memoryMin).toBe(65 * MI);
    expect(burstable.memoryLow).toBe(64 * MI);
  });
});

it.each<{ reserved: Amounts; onlyCpu: boolean; want: object }>([
  {
    reserved: { cpu: "500m", memory: "1Mi", pid: "9" },
    onlyCpu: false,
    want: { cpuWeight: 20, memoryMax: MI, pidsMax: 9 },
  },
  { reserved: { cpu: "500m", memory: "1Mi" }, onlyCpu: true, want: { cpuWeight: 20 } },
  { reserved: {}, onlyCpu: false, want: {} },
])("a reserve of $reserved gives $want", ({ reserved, onlyCpu, want }) =>
  expect(reservedLimits(reserved, { onlyCpu })).toEqual(want),
);

it("renders files", () => {
  expect(
    limitFiles({
      cpuWeight: 4,
      cpuMax: { quota: "max", period: 100_000 },
      memoryMax: 178_257_920,
      memoryMin: 1,
      memoryLow: 2,
      pidsMax: "max",
      hugetlb: { "2MB": 0, "1GB": "max" },
    }),
  ).toEqual([
    ["cpu.weight", "4"],
    ["cpu.max", "max 100000"],
    ["memory.max", "178257920"],
    ["memory.min", "1"],
    ["memory.low", "2"],
    ["pids.max", "max"],
    ["hugetlb.2MB.max", "0"],
    ["hugetlb.1GB.max", "max"],
  ]);
  expect(limitFiles({})).toEqual([]);
});

it("renders systemd's properties, its CPU quota in steps of 10 ms a second", () => {
  expect(
    unitProperties({ cpuWeight: 4, cpuMax: { quota: 1500, period: 100_000 }, memoryMax: "max", pidsMax: 10 }),
  ).toEqual([
    ["CPUWeight", "t", "4"],
    ["CPUQuotaPerSecUSec", "t", "20000"],
    ["CPUQuotaPeriodUSec", "t", "100000"],
    ["MemoryMax", "t", "18446744073709551615"],
    ["TasksMax", "t", "10"],
  ]);
  expect(unitProperties({ cpuMax: { quota: "max", period: 100_000 }, memoryMin: 1, memoryLow: 2 })).toEqual([
    ["CPUQuotaPerSecUSec", "t", "18446744073709551615"],
    ["CPUQuotaPeriodUSec", "t", "100000"],
    ["MemoryMin", "t", "1"],
    ["MemoryLow", "t", "2"],
  ]);
});
