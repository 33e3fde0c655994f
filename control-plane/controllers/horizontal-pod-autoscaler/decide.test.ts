import { describe, expect, it } from "vitest";
import type { V2HorizontalPodAutoscaler, V2HPAScalingRules } from "../../../shared/api/types.ts";
import { decide, firstLook, zeroCondition } from "./decide.ts";
import { type History, newHistory } from "./history.ts";
import { withChange } from "./normalize.ts";
import type { Proposal } from "./proposal.ts";

const NOW_MS = 1_000_000_000;
const UP: V2HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};
const DOWN: V2HPAScalingRules = { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };

const hpa = (
  spec: Partial<V2HorizontalPodAutoscaler["spec"]> = {},
  scaledToZero = "False",
): V2HorizontalPodAutoscaler => ({
  metadata: { name: "h", namespace: "ns" },
  spec: { minReplicas: 1, maxReplicas: 100, scaleTargetRef: { kind: "Deployment", name: "web" }, ...spec },
  status: { desiredReplicas: 0, conditions: [{ type: "ScaledToZero", status: scaledToZero }] },
});
const asks = (replicas: number, metric = "cpu"): Proposal => ({ replicas, metric, status: { type: "Resource" } });
const FAILED: Proposal = { failed: { reason: "FailedGetPodsMetric", message: "gone", error: "failed: gone" } };
const past = (...entries: [replicas: number, secondsAgo: number][]): History => ({
  recommendations: entries.map(([replicas, ago]) => ({ replicas, atMs: NOW_MS - ago * 1000 })),
  ups: [],
  downs: [],
});

const EMPTY = past();

const decideFor = (
  currentReplicas: number,
  proposals: Proposal[],
  { spec = {}, history = EMPTY }: { spec?: Partial<V2HorizontalPodAutoscaler["spec"]>; history?: History } = {},
) => decide({ hpa: hpa(spec), currentReplicas, history, proposals, nowMs: NOW_MS });
const conditionOf = (decision: ReturnType<typeof decide>, type: string) =>
  decision.conditions.find((condition) => condition.type === type);

describe("which proposal counts", () => {
  it.each([
    { name: "HPA-01: the largest", now: 3, proposals: [asks(4, "a"), asks(5, "b")], want: 5, reason: "b above target" },
    { name: "all below", now: 3, proposals: [asks(2), asks(1)], want: 2, reason: "All metrics below target" },
    {
      name: "HPA-05: with one missing nothing shrinks",
      now: 3,
      proposals: [asks(1), FAILED],
      want: undefined,
      reason: "",
    },
    { name: "with one missing it grows", now: 3, proposals: [FAILED, asks(4)], want: 4, reason: "cpu above target" },
    { name: "all missing", now: 3, proposals: [FAILED], want: undefined, reason: "" },
  ])("$name", ({ now, proposals, want, reason }) => {
    const decision = decideFor(now, proposals);
    expect(decision.scaleTo).toBe(want);
    expect(decision.reason).toBe(reason);
  });

  it("says what was wrong", () => {
    const decision = decideFor(3, [FAILED, asks(1)]);
    expect(decision.failure).toBe("invalid metrics (1 invalid out of 2), first error is: failed: gone");
    expect(decision.conditions).toEqual([
      {
        type: "ScalingActive",
        isTrue: false,
        reason: "FailedGetPodsMetric",
        message: "the HPA was unable to compute the replica count: gone",
      },
    ]);
    expect(decision.metrics).toEqual([{ type: "" }, { type: "Resource" }]);
  });
});

describe("without spec.behavior", () => {
  it.each([
    { name: "HPA-10: one replica becomes four at most", now: 1, wanted: 50, want: 4, limited: "ScaleUpLimit" },
    { name: "HPA-10: four become eight", now: 4, wanted: 50, want: 8, limited: "ScaleUpLimit" },
    { name: "not more than the maximum", now: 80, wanted: 500, want: 100, limited: "TooManyReplicas" },
    { name: "not fewer than the minimum", now: 3, wanted: 0, want: 1, limited: "TooFewReplicas" },
    {
      name: "shrinks at once when nothing speaks against it",
      now: 9,
      wanted: 2,
      want: 2,
      limited: "DesiredWithinRange",
    },
    {
      name: "HPA-06: shrinks to the highest of five minutes",
      now: 9,
      wanted: 2,
      history: past([9, 301], [5, 200], [3, 100]),
      want: 5,
      limited: "DesiredWithinRange",
      able: "ScaleDownStabilized",
    },
  ])("$name", ({ now, wanted, want, limited, able = "ReadyForNewScale", history }) => {
    const decision = decideFor(now, [asks(wanted)], { history });
    expect(decision.scaleTo).toBe(want);
    expect(conditionOf(decision, "ScalingLimited")).toMatchObject({
      reason: limited,
      isTrue: limited !== "DesiredWithinRange",
    });
    expect(conditionOf(decision, "AbleToScale")).toMatchObject({ reason: able });
  });
});

describe("with spec.behavior", () => {
  const doubling: V2HPAScalingRules = { ...UP, policies: [{ type: "Percent", value: 100, periodSeconds: 30 }] };
  const gentle: V2HPAScalingRules = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [{ type: "Percent", value: 10, periodSeconds: 60 }],
  };
  it.each<{
    name: string;
    now: number;
    wanted: number;
    up?: V2HPAScalingRules;
    down?: V2HPAScalingRules;
    history?: History;
    want: number | undefined;
    limited?: string;
  }>([
    { name: "HPA-07: the larger of two policies", now: 1, wanted: 50, want: 5, limited: "ScaleUpLimit" },
    { name: "HPA-07: the larger of two policies", now: 10, wanted: 50, want: 20, limited: "ScaleUpLimit" },
    {
      name: "the smaller one",
      now: 10,
      wanted: 50,
      up: { ...UP, selectPolicy: "Min" },
      want: 14,
      limited: "ScaleUpLimit",
    },
    {
      name: "none",
      now: 10,
      wanted: 50,
      up: { ...UP, selectPolicy: "Disabled" },
      want: undefined,
      limited: "ScaleUpLimit",
    },
    { name: "HPA-14: doubles", now: 5, wanted: 50, up: doubling, want: 10, limited: "ScaleUpLimit" },
    {
      name: "HPA-14: and no more within its period",
      now: 10,
      wanted: 50,
      up: doubling,
      history: withChange(EMPTY, 5, 10, NOW_MS - 15_000),
      want: undefined,
      limited: "ScaleUpLimit",
    },
    {
      name: "HPA-14: again after it",
      now: 10,
      wanted: 50,
      up: doubling,
      history: withChange(EMPTY, 5, 10, NOW_MS - 30_000),
      want: 20,
      limited: "ScaleUpLimit",
    },
    { name: "HPA-14: a tenth less", now: 50, wanted: 2, down: gentle, want: 45, limited: "ScaleDownLimit" },
    {
      name: "HPA-14: and no less within its period",
      now: 45,
      wanted: 2,
      down: gentle,
      history: withChange(EMPTY, 50, 45, NOW_MS - 59_000),
      want: undefined,
      limited: "ScaleDownLimit",
    },
    { name: "HPA-08: five minutes where none are given", now: 9, wanted: 2, history: past([6, 299]), want: 6 },
    {
      name: "HPA-13: grows to the lowest of its window",
      now: 2,
      wanted: 9,
      up: { ...UP, stabilizationWindowSeconds: 60 },
      history: past([3, 59], [2, 61]),
      want: 3,
    },
  ])("$name, $now to $wanted: $want", ({ now, wanted, up = UP, down = DOWN, history, want, limited }) => {
    const spec = { behavior: { scaleUp: up, scaleDown: down } };
    const decision = decideFor(now, [asks(wanted)], { spec, history });
    expect(decision.scaleTo).toBe(want);
    expect(conditionOf(decision, "ScalingLimited")?.reason).toBe(limited ?? "DesiredWithinRange");
  });
});

describe("before metrics are asked for", () => {
  const outside = { metrics: [{ type: "External" }] };
  it.each([
    { name: "too many", given: hpa({ maxReplicas: 3 }), now: 5, want: { decision: { scaleTo: 3 } } },
    { name: "too few", given: hpa({ minReplicas: 2 }), now: 1, want: { decision: { scaleTo: 2 } } },
    { name: "in between", given: hpa(), now: 2, want: { ask: true } },
    { name: "switched off", given: hpa(), now: 0, want: { decision: { conditions: [{ reason: "ScalingDisabled" }] } } },
    { name: "at zero by itself", given: hpa({ minReplicas: 0, ...outside }, "True"), now: 0, want: { ask: true } },
    { name: "at zero by somebody", given: hpa({ minReplicas: 0, ...outside }), now: 0, want: { ask: false } },
  ])("$name", ({ given, now, want }) =>
    expect(firstLook({ hpa: given, currentReplicas: now, history: EMPTY })).toMatchObject(want),
  );
});

it("counts the size it found as a recommendation", () =>
  expect(decideFor(9, [asks(2)], { history: newHistory(9, NOW_MS - 1000) }).scaleTo).toBeUndefined());

it.each([
  {
    name: "scaled to zero",
    given: hpa({ minReplicas: 0, metrics: [{ type: "External" }] }),
    from: 2,
    to: 0,
    want: "ScaledToZero",
  },
  { name: "scaled from zero", given: hpa({ minReplicas: 0 }, "True"), from: 0, to: 1, want: "NotScaledToZero" },
  { name: "that never may", given: { ...hpa(), status: undefined }, from: 2, to: 1, want: undefined },
])("HPA-12: of one $name: $want", ({ given, from, to, want }) =>
  expect(zeroCondition(given, { from, to })?.reason).toBe(want),
);
