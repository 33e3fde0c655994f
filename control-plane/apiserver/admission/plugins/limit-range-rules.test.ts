import { describe, expect, it } from "vitest";
import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from "../../../../shared/api/types.ts";
import { applyLimitRange, checkClaimAgainst, checkPodAgainst } from "./limit-range-rules.ts";

type Resources = Pod["spec"]["containers"][number]["resources"];

const range = (...limits: LimitRangeItem[]): LimitRange => ({ metadata: { name: "lr" }, spec: { limits } });
const pod = (...resources: Resources[]): Pod => ({
  metadata: { name: "p" },
  spec: { containers: resources.map((own, index) => ({ name: `c${index}`, resources: own })) },
});

describe("applyLimitRange", () => {
  const defaults = range({ type: "Container", default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "500m" } });

  it("fills in what is missing and tells so", () => {
    const filled = pod({}, { limits: { cpu: "2", memory: "2Gi" }, requests: { cpu: "1" } });
    filled.spec.initContainers = [{ name: "i", resources: { limits: { cpu: "3" } } }];
    applyLimitRange(defaults, filled);
    expect(filled.spec.containers.map(({ resources }) => resources)).toEqual([
      { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } },
      { limits: { cpu: "2", memory: "2Gi" }, requests: { cpu: "1" } },
    ]);
    expect(filled.metadata.annotations).toEqual({
      "kubernetes.io/limit-ranger":
        "LimitRanger plugin set: cpu request for container c0; cpu, memory limit for container c0; cpu request for init container i; memory limit for init container i",
    });
  });

  it("leaves a pod alone that has all", () => {
    const full = pod({ limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1" } });
    applyLimitRange(defaults, full);
    expect(full.metadata.annotations).toBeUndefined();
  });
});

const requests = (cpu: string) => ({ requests: { cpu } });
const both = (request: string, limit: string) => ({ requests: { cpu: request }, limits: { cpu: limit } });
const container = (item: Partial<LimitRangeItem>): LimitRangeItem => ({ type: "Container", ...item });
const ofPod = (item: Partial<LimitRangeItem>): LimitRangeItem => ({ type: "Pod", ...item });
const RATIO = "cpu max limit to request ratio per Container is 2";

describe("checkPodAgainst", () => {
  it.each<{ name: string; item: LimitRangeItem; pod: Pod; want: string[] }>([
    {
      name: "a minimum without a request",
      item: container({ min: { cpu: "1" } }),
      pod: pod({}),
      want: ["minimum cpu usage per Container is 1.  No request is specified"],
    },
    {
      name: "a request below the minimum",
      item: container({ min: { cpu: "1" } }),
      pod: pod(requests("999m")),
      want: ["minimum cpu usage per Container is 1, but request is 999m"],
    },
    { name: "a request at the minimum", item: container({ min: { cpu: "1" } }), pod: pod(requests("1000m")), want: [] },
    {
      name: "a maximum without a limit",
      item: container({ max: { cpu: "1" } }),
      pod: pod(requests("1")),
      want: ["maximum cpu usage per Container is 1.  No limit is specified"],
    },
    {
      name: "a limit above the maximum",
      item: container({ max: { cpu: "1" } }),
      pod: pod(both("1", "2")),
      want: ["maximum cpu usage per Container is 1, but limit is 2"],
    },
    {
      name: "a ratio without a request",
      item: container({ maxLimitRequestRatio: { cpu: "2" } }),
      pod: pod({ limits: { cpu: "1" } }),
      want: [`${RATIO}, but no request is specified or request is 0`],
    },
    {
      name: "a ratio that is too high",
      item: container({ maxLimitRequestRatio: { cpu: "2" } }),
      pod: pod(both("300m", "1")),
      want: [`${RATIO}, but provided ratio is 3.333333`],
    },
    {
      name: "a ratio in bounds",
      item: container({ maxLimitRequestRatio: { cpu: "2" } }),
      pod: pod(both("1", "2")),
      want: [],
    },
    {
      name: "the sum of a pod",
      item: ofPod({ max: { cpu: "1" } }),
      pod: pod(both("600m", "600m"), both("600m", "600m")),
      want: ["maximum cpu usage per Pod is 1, but limit is 1200m"],
    },
    {
      name: "resources of the pod as a whole in place of the sum",
      item: ofPod({ max: { cpu: "1" } }),
      pod: { ...pod(both("2", "2")), spec: { ...pod(both("2", "2")).spec, resources: both("1", "1") } },
      want: [],
    },
    {
      name: "bounds of claims",
      item: { type: "PersistentVolumeClaim", max: { storage: "1Gi" } },
      pod: pod({}),
      want: [],
    },
  ])("$name", ({ item, pod, want }) => expect(checkPodAgainst(range(item), pod)).toEqual(want));
});

describe("checkClaimAgainst", () => {
  const item: LimitRangeItem = { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } };
  const claim = (storage: string): PersistentVolumeClaim => ({
    metadata: { name: "c" },
    spec: { resources: { requests: { storage } } },
  });
  it.each([
    ["1Gi", []],
    ["512Mi", ["minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi"]],
    ["3Gi", ["maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi"]],
  ])("%s", (storage, want) => expect(checkClaimAgainst(range(item), claim(storage))).toEqual(want));
});
