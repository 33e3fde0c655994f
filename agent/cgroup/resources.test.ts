import { describe, expect, it } from "vitest";
import { aContainer, aPod, cgroupSettings } from "../../test/builders/kubelet.ts";
import { oomScoreAdj } from "./oom-score.ts";
import { containerResources } from "./resources.ts";

const GI = 2 ** 30;
const MI = 2 ** 20;

const resources = (requests: Record<string, string> = {}, limits: Record<string, string> = {}) => ({
  requests,
  limits,
});
const podWith = (...all: ReturnType<typeof resources>[]) =>
  aPod({ containers: all.map((own, index) => aContainer(`c${index}`, { resources: own })) });

describe("oomScoreAdj (RES-11)", () => {
  const full = { cpu: "1", memory: "1Gi" };
  const coreDns = podWith(resources({ cpu: "100m", memory: "70Mi" }, { memory: "170Mi" }));
  const critical = { priority: 2_000_001_000, priorityClassName: "system-node-critical" };
  const shared = { containers: [aContainer("a"), aContainer("b")], resources: { requests: { memory: "2Gi" } } };
  it.each([
    { name: "guaranteed", pod: podWith(resources(full, full)), want: -997 },
    { name: "best effort", pod: podWith(resources()), want: 1000 },
    { name: "a tenth of the node", pod: podWith(resources({ memory: "1Gi" })), want: 900 },
    { name: "hardly anything", pod: podWith(resources({ cpu: "1" })), want: 999 },
    { name: "more than the node", pod: podWith(resources({ memory: "11Gi" })), want: 3 },
    { name: "CoreDNS on 7.75 GiB", pod: coreDns, node: 8_320_299_008, want: 992 },
    { name: "critical for the node", pod: aPod(critical), want: -997 },
    {
      name: "critical for the cluster",
      pod: aPod({ ...critical, priorityClassName: "system-cluster-critical" }),
      want: 1000,
    },
    { name: "half of what the pod asks for", pod: aPod(shared), want: 900 },
  ])("$name: $want", ({ pod, node = 10 * GI, want }) =>
    expect(oomScoreAdj(pod, pod.spec.containers[0]!, node)).toBe(want),
  );

  it("kills a sidecar no sooner than what it serves", () => {
    const sidecar = aContainer("proxy", { restartPolicy: "Always" });
    const pod = aPod({
      containers: [aContainer("app", { resources: resources({ memory: "1Gi" }) })],
      initContainers: [sidecar],
    });
    expect(oomScoreAdj(pod, sidecar, 10 * GI)).toBe(900);
  });
});

describe("containerResources", () => {
  const node = cgroupSettings({ memoryBytes: 10 * GI, swapBytes: GI });
  const burstable = podWith(resources({ cpu: "250m", memory: "1Gi" }, { memory: "2Gi" }));
  const of = (pod: ReturnType<typeof podWith>, settings = node) =>
    containerResources(pod, pod.spec.containers[0]!, settings);

  it("leaves out limits that are not set", () => {
    expect(of(burstable)).toEqual({
      cpuShares: 256,
      cpuPeriod: 100_000,
      memoryLimitInBytes: 2 * GI,
      oomScoreAdj: 900,
      hugepageLimits: [{ pageSize: "2MB", limit: 0 }],
      unified: { "memory.oom.group": "1", "memory.swap.max": "0" },
    });
  });

  it.each([
    { name: "a CPU limit", fields: resources({}, { cpu: "500m" }), want: { cpuQuota: 50_000, cpuShares: 512 } },
    { name: "a request of zero beside a limit", fields: resources({ cpu: "0" }, { cpu: "1" }), want: { cpuShares: 2 } },
    {
      name: "huge pages",
      fields: resources({}, { "hugepages-2Mi": "4Mi" }),
      want: { hugepageLimits: [{ pageSize: "2MB", limit: 4 * MI }] },
    },
  ])("takes $name", ({ fields, want }) => expect(of(podWith(fields))).toMatchObject(want));

  it("takes the pod's limits where the container has none (RES-10)", () => {
    const pod = aPod({ resources: resources({}, { cpu: "1", memory: "64Mi", "hugepages-2Mi": "2Mi" }) });
    expect(of(pod)).toMatchObject({
      cpuQuota: 100_000,
      memoryLimitInBytes: 64 * MI,
      hugepageLimits: [{ pageSize: "2MB", limit: 2 * MI }],
    });
  });

  it("sets no quota where the node enforces none", () => {
    expect(of(podWith(resources({}, { cpu: "1" })), { ...node, enforcesCpuLimits: false })).not.toHaveProperty(
      "cpuQuota",
    );
  });

  const full = resources({ cpu: "1", memory: "1Gi" }, { cpu: "1", memory: "1Gi" });
  const tiered = { ...node, reservesMemory: true };
  const throttled = { ...node, memoryThrottlingFactor: 0.9 };
  const swapping = { ...node, swapBehavior: "LimitedSwap" as const };
  it.each([
    {
      name: "memory.high is left alone (RES-09)",
      pod: burstable,
      settings: node,
      file: "memory.high",
      want: undefined,
    },
    {
      name: "0.9 of the way to the limit",
      pod: burstable,
      settings: throttled,
      file: "memory.high",
      want: 2_040_107_008,
    },
    {
      name: "0.9 of the way to what is allocatable",
      pod: podWith(resources({ memory: "1Gi" })),
      settings: { ...throttled, allocatable: { ...node.allocatable, memoryBytes: 11 * GI } },
      file: "memory.high",
      want: 10 * GI,
    },
    { name: "no throttling of what is guaranteed", pod: podWith(full), settings: throttled, file: "memory.high" },
    { name: "a burstable request is protected", pod: burstable, settings: tiered, file: "memory.low", want: GI },
    { name: "a guaranteed one more so", pod: podWith(full), settings: tiered, file: "memory.min", want: GI },
    { name: "no swap by default", pod: burstable, settings: node, file: "memory.swap.max", want: 0 },
    { name: "a tenth of the swap", pod: burstable, settings: swapping, file: "memory.swap.max", want: 107_374_182 },
    { name: "no swap for guaranteed", pod: podWith(full), settings: swapping, file: "memory.swap.max", want: 0 },
    {
      name: "no swap for best effort",
      pod: podWith(resources()),
      settings: swapping,
      file: "memory.swap.max",
      want: 0,
    },
    {
      name: "no swap where request is limit",
      pod: podWith(resources({ memory: "1Gi" }, { memory: "1Gi" })),
      settings: swapping,
      file: "memory.swap.max",
      want: 0,
    },
    {
      name: "no swap for critical pods",
      pod: aPod({ ...burstable.spec, priority: 2_000_000_000 }),
      settings: swapping,
      file: "memory.swap.max",
      want: 0,
    },
    {
      name: "kills one process where that is wanted",
      pod: burstable,
      settings: { ...node, killsGroups: false },
      file: "memory.oom.group",
      want: undefined,
    },
  ])("$name", ({ pod, settings, file, want }) => {
    const found = of(pod, settings).unified?.[file];
    expect(found === undefined ? undefined : Number(found)).toBe(want);
  });

  it("writes no files of version 2 on version 1", () => {
    expect(of(burstable, { ...node, version: 1 })).not.toHaveProperty("unified");
  });
});
