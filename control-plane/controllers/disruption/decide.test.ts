import { describe, expect, it } from "vitest";
import type { Pod, PodDisruptionBudget } from "../../../shared/api/types.ts";
import { decide, decideFailed, staleConditionInMs } from "./decide.ts";

const NOW = "2026-10-21T08:10:00Z";
const NOW_MS = Date.parse(NOW);
const at = (secondsAgo: number) => new Date(NOW_MS - secondsAgo * 1000).toISOString().replace(".000", "");

const pod = (name: string, { isReady = true, isDeleted = false } = {}): Pod => ({
  metadata: { name, namespace: "default", ...(isDeleted ? { deletionTimestamp: NOW } : {}) },
  spec: { containers: [] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
});

const budget = (spec: Partial<PodDisruptionBudget["spec"]>, status?: PodDisruptionBudget["status"]) =>
  ({ metadata: { name: "b", namespace: "default", generation: 2 }, spec, status }) as PodDisruptionBudget;

const THREE = [pod("a"), pod("b"), pod("c")];

describe("decide", () => {
  it.each([
    { name: "a number that must be available", spec: { minAvailable: 1 }, pods: THREE, want: [3, 1, 3, 2] },
    {
      name: "more than there are",
      spec: { minAvailable: 5 },
      pods: THREE,
      want: [3, 5, 3, 0],
    },
    {
      name: "a percentage that must be available, rounded up",
      spec: { minAvailable: "50%" },
      pods: THREE,
      replicas: 3,
      want: [3, 2, 3, 1],
    },
    { name: "a number that may be gone", spec: { maxUnavailable: 1 }, pods: THREE, replicas: 4, want: [3, 3, 4, 0] },
    {
      name: "a percentage that may be gone, rounded up",
      spec: { maxUnavailable: "30%" },
      pods: THREE,
      replicas: 4,
      want: [3, 2, 4, 1],
    },
    { name: "all may be gone", spec: { maxUnavailable: "100%" }, pods: THREE, replicas: 3, want: [3, 0, 3, 3] },
    {
      name: "pods that are not ready",
      spec: { minAvailable: 1 },
      pods: [pod("a"), pod("b", { isReady: false })],
      want: [1, 1, 2, 0],
    },
    {
      name: "pods on their way out",
      spec: { minAvailable: 1 },
      pods: [pod("a"), pod("b", { isDeleted: true })],
      want: [1, 1, 2, 0],
    },
    { name: "no pods", spec: { minAvailable: 0 }, pods: [], want: [0, 0, 0, 0] },
    { name: "a budget that asks for nothing", spec: {}, pods: THREE, want: [3, 0, 0, 0] },
  ])("$name", ({ spec, pods, replicas, want }) => {
    const scale = replicas === undefined ? undefined : { replicas, unmanaged: [] };
    const { status } = decide(budget(spec), pods, scale, NOW_MS);
    const [currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed] = want;
    expect(status).toMatchObject({ currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed });
    expect(status).toMatchObject({ observedGeneration: 2 });
    expect(status?.conditions).toMatchObject([
      { type: "DisruptionAllowed", status: disruptionsAllowed ? "True" : "False" },
    ]);
  });

  it("writes nothing when nothing changed, and again for another generation", () => {
    const { status } = decide(budget({ minAvailable: 1 }), THREE, undefined, NOW_MS);
    const counted = budget({ minAvailable: 1 }, status);
    expect(decide(counted, THREE, undefined, NOW_MS + 60_000).status).toBeUndefined();
    counted.metadata.generation = 3;
    expect(decide(counted, THREE, undefined, NOW_MS).status).toMatchObject({ observedGeneration: 3 });
  });

  it("takes an evicted pod for gone, until two minutes have passed", () => {
    const evicted = (secondsAgo: number) =>
      budget({ minAvailable: 1 }, { disruptedPods: { a: at(secondsAgo), z: at(1) } });
    const soon = decide(evicted(30), THREE, undefined, NOW_MS);
    expect(soon.status).toMatchObject({ currentHealthy: 2, disruptedPods: { a: at(30) } });
    expect(soon).toMatchObject({ notDeleted: [], recheckAfterMs: 90_000 });
    const late = decide(evicted(121), THREE, undefined, NOW_MS);
    expect(late.status).toMatchObject({ currentHealthy: 3 });
    expect(late.status).not.toHaveProperty("disruptedPods");
    expect(late.notDeleted.map(({ metadata }) => metadata.name)).toEqual(["a"]);
  });
});

it("a count that failed allows nothing and says why, once", () => {
  const counted = budget({ maxUnavailable: 1 }, { disruptionsAllowed: 2, observedGeneration: 2 });
  const failed = decideFailed(counted, "found no controllers", NOW_MS);
  expect(failed).toMatchObject({
    disruptionsAllowed: 0,
    conditions: [{ status: "False", reason: "SyncFailed", message: "found no controllers", observedGeneration: 2 }],
  });
  expect(decideFailed({ ...counted, status: failed }, "found no controllers", NOW_MS + 5_000)).toBeUndefined();
});

describe("staleConditionInMs", () => {
  const marked = (condition: object, rest: Partial<Pod["metadata"]> = {}, phase = "Running"): Pod => {
    const conditions = [{ type: "DisruptionTarget", status: "True", lastTransitionTime: at(30), ...condition }];
    return { ...pod("p"), metadata: { name: "p", ...rest }, status: { phase, conditions } };
  };
  it.each([
    { name: "a pod without the condition", pod: pod("p"), want: undefined },
    { name: "a fresh one", pod: marked({}), want: 90_000 },
    { name: "an old one", pod: marked({ lastTransitionTime: at(500) }), want: 0 },
    { name: "one that is false", pod: marked({ status: "False" }), want: undefined },
    { name: "the kubelet's", pod: marked({ reason: "TerminationByKubelet" }), want: undefined },
    { name: "a pod that is being deleted", pod: marked({}, { deletionTimestamp: NOW }), want: undefined },
    { name: "a pod that has ended", pod: marked({}, {}, "Failed"), want: undefined },
  ])("$name", ({ pod, want }) => expect(staleConditionInMs(pod, NOW_MS)).toBe(want));
});
