import { describe, expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import { containerResources, cpuQuota, cpuShares, oomScoreAdj, podCgroupParent, qosClass } from "./resources.ts";

const resources = (requests: Record<string, string> = {}, limits: Record<string, string> = {}) => ({
  requests,
  limits,
});
const podWith = (...all: ReturnType<typeof resources>[]) =>
  aPod({ containers: all.map((own, index) => aContainer(`c${index}`, { resources: own })) });
const GI = 2 ** 30;

describe("qosClass", () => {
  const full = { cpu: "1", memory: "1Gi" };
  it.each([
    { name: "nothing", pod: podWith(resources()), want: "BestEffort" },
    { name: "requests", pod: podWith(resources({ cpu: "1" })), want: "Burstable" },
    { name: "limits equal to requests", pod: podWith(resources(full, full)), want: "Guaranteed" },
    {
      name: "written in another way",
      pod: podWith(resources({ cpu: "1000m", memory: "1024Mi" }, full)),
      want: "Guaranteed",
    },
    {
      name: "less asked than allowed",
      pod: podWith(resources({ cpu: "500m", memory: "1Gi" }, full)),
      want: "Burstable",
    },
    { name: "one container without", pod: podWith(resources(full, full), resources()), want: "Burstable" },
    { name: "no memory limit", pod: podWith(resources({ cpu: "1" }, { cpu: "1" })), want: "Burstable" },
    { name: "zeros", pod: podWith(resources({ cpu: "0" })), want: "BestEffort" },
  ])("$name: $want", ({ pod, want }) => expect(qosClass(pod)).toBe(want));
});

it.each([
  [0, 2],
  [1, 2],
  [250, 256],
  [1000, 1024],
  [1_000_000, 262_144],
])("%i milli-cores are %i shares", (milli, want) => expect(cpuShares(milli)).toBe(want));

it.each([
  [0, 0],
  [1, 1000],
  [500, 50_000],
  [2000, 200_000],
])("%i milli-cores are a quota of %i", (milli, want) => expect(cpuQuota(milli)).toBe(want));

describe("oomScoreAdj", () => {
  const full = { cpu: "1", memory: "1Gi" };
  it.each([
    { name: "guaranteed", pod: podWith(resources(full, full)), want: -997 },
    { name: "best effort", pod: podWith(resources()), want: 1000 },
    { name: "a tenth of the node", pod: podWith(resources({ memory: "1Gi" })), want: 900 },
    { name: "hardly anything", pod: podWith(resources({ cpu: "1" })), want: 999 },
    { name: "more than the node", pod: podWith(resources({ memory: "11Gi" })), want: 3 },
  ])("$name: $want", ({ pod, want }) => expect(oomScoreAdj(pod, pod.spec.containers[0]!, 10 * GI)).toBe(want));

  it("protects critical pods", () => {
    const pod = aPod({ priority: 2_000_000_000 });
    expect(oomScoreAdj(pod, pod.spec.containers[0]!, 10 * GI)).toBe(-997);
  });
});

it("containerResources leaves out limits that are not set", () => {
  const pod = podWith(resources({ cpu: "250m", memory: "1Gi" }, { memory: "2Gi" }));
  expect(containerResources(pod, pod.spec.containers[0]!, 10 * GI)).toEqual({
    cpuShares: 256,
    cpuPeriod: 100_000,
    memoryLimitInBytes: 2 * GI,
    oomScoreAdj: 900,
  });
});

it.each([
  { pod: podWith(resources()), want: "/kubepods/besteffort/podu1" },
  { pod: podWith(resources({ cpu: "1" })), want: "/kubepods/burstable/podu1" },
  { pod: podWith(resources({ cpu: "1", memory: "1" }, { cpu: "1", memory: "1" })), want: "/kubepods/podu1" },
])("the pod's cgroup is $want", ({ pod, want }) => expect(podCgroupParent(pod)).toBe(want));
