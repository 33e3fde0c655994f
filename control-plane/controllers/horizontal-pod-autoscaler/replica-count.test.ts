import { describe, expect, it } from "vitest";
import type { Pod } from "../../../shared/api/types.ts";
import type { PodMetric } from "./pod-groups.ts";
import { countByAverage, countByShare, countByUtilization, countByValue } from "./replica-count.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");
const LONG_AGO = "2026-10-21T07:00:00Z";
const A_WHILE_AGO = "2026-10-21T07:30:00Z";
const JUST_NOW = "2026-10-21T07:59:50Z";

type State = "ready" | "unready" | "starting" | "pending" | "failed" | "leaving";

const CHANGED_AT: Partial<Record<State, string>> = { starting: JUST_NOW, unready: A_WHILE_AGO };

function pod(name: string, state: State): Pod {
  const ready = { type: "Ready", status: state === "ready" ? "True" : "False", lastTransitionTime: LONG_AGO };
  return {
    metadata: { name, ...(state === "leaving" ? { deletionTimestamp: JUST_NOW } : {}) },
    spec: { containers: [] },
    status: {
      phase: state === "pending" ? "Pending" : state === "failed" ? "Failed" : "Running",
      startTime: state === "starting" ? JUST_NOW : LONG_AGO,
      // A pod that became unready right after its start was never ready.
      conditions: [{ ...ready, lastTransitionTime: CHANGED_AT[state] ?? LONG_AGO }],
    },
  };
}

const reading = (milli: number): PodMetric => ({ milli, timestampMs: NOW_MS, windowMs: 60_000 });

/** Pods p0, p1 … in these states, with these usages in percent of their request of 1000m. */
const utilization = (states: State[], usages: (number | undefined)[], targetPercent: number, up = 0.1, down = up) => {
  const pods = states.map((state, i) => pod(`p${i}`, state));
  const metrics = new Map(
    usages.flatMap((usage, i) => (usage === undefined ? [] : [[`p${i}`, reading(usage * 10)] as const])),
  );
  const requestsMilli = new Map(pods.map(({ metadata }) => [metadata.name, 1000]));
  const currentReplicas = pods.length;
  const readings = { pods, metrics, resource: "cpu", currentReplicas, tolerance: { up, down }, nowMs: NOW_MS };
  return countByUtilization({ ...readings, requestsMilli, targetPercent }).replicas;
};

const READY4: State[] = ["ready", "ready", "ready", "ready"];

describe("by utilization", () => {
  it.each<{
    name: string;
    states?: State[];
    usages: (number | undefined)[];
    target?: number;
    tolerance?: number;
    want: number;
  }>([
    { name: "HPA-02: four pods at 90 % of 60 % become six", usages: [90, 90, 90, 90], want: 6 },
    { name: "HPA-03: a ratio of 1.05 changes nothing", usages: [63, 63, 63, 63], want: 4 },
    { name: "HPA-03: it does with a tolerance of 0.01", usages: [63, 63, 63, 63], tolerance: 0.01, want: 5 },
    { name: "shrinks", usages: [30, 30, 30, 30], want: 2 },
    { name: "HPA-04: growing, a pod without a reading counts as idle", usages: [90, 90, 90, undefined], want: 5 },
    { name: "HPA-04: shrinking, it counts as at its request", usages: [10, 10, 10, undefined], want: 3 },
    { name: "HPA-04: a correction that turns it round stops it", usages: [50, 50, 50, undefined], want: 4 },
    {
      name: "HPA-04: growing, an unready pod counts as idle",
      states: ["ready", "ready", "ready", "starting"],
      usages: [90, 90, 90, 500],
      want: 5,
    },
    {
      name: "shrinking, an unready pod does not count",
      states: ["ready", "ready", "ready", "starting"],
      usages: [30, 30, 30, 500],
      want: 2,
    },
    {
      name: "a pod that was ready once counts",
      states: ["ready", "ready", "ready", "unready"],
      usages: [90, 90, 90, 90],
      want: 6,
    },
    {
      name: "pending pods are not ready yet",
      states: ["ready", "pending"],
      usages: [90, undefined],
      target: 30,
      want: 3,
    },
    {
      name: "failed and leaving pods do not count",
      states: ["ready", "failed", "leaving"],
      usages: [60, 900, 900],
      want: 3,
    },
  ])("$name", ({ states = READY4, usages, target = 60, tolerance, want }) =>
    expect(utilization(states, usages, target, tolerance)).toBe(want),
  );

  it.each<{ name: string; states: State[]; usages: number[]; want: string }>([
    { name: "no pod", states: [], usages: [], want: "no pods returned by selector while calculating replica count" },
    {
      name: "no pod that counts",
      states: ["starting"],
      usages: [90],
      want: "did not receive metrics for targeted pods (pods might be unready)",
    },
  ])("says so when there is $name", ({ states, usages, want }) =>
    expect(() => utilization(states, usages, 60)).toThrow(want),
  );
});

it.each([
  { usages: [100, 300], target: 100, want: { replicas: 4, averageMilli: 200 } },
  { usages: [100, 110], target: 100, want: { replicas: 2, averageMilli: 105 } },
])("by average of $usages to $target: $want.replicas", ({ usages, target, want }) => {
  const pods = usages.map((_, i) => pod(`p${i}`, "unready"));
  const metrics = new Map(usages.map((usage, i) => [`p${i}`, reading(usage)]));
  const readings = {
    pods,
    metrics,
    resource: "",
    currentReplicas: 2,
    tolerance: { up: 0.1, down: 0.1 },
    nowMs: NOW_MS,
  };
  expect(countByAverage({ ...readings, targetMilli: target })).toEqual(want);
});

const tolerance = { up: 0.1, down: 0.1 };

it.each([
  { usageMilli: 20_000, currentReplicas: 3, readyPods: 3, want: 6 },
  { usageMilli: 10_500, currentReplicas: 3, readyPods: 3, want: 3 },
  { usageMilli: 20_000, currentReplicas: 3, readyPods: 1, want: 2 },
  { usageMilli: 1, currentReplicas: 0, readyPods: 0, want: 1 },
  { usageMilli: 0, currentReplicas: 0, readyPods: 0, want: 0 },
  { usageMilli: 1e30, currentReplicas: 1, readyPods: 1, want: 2 ** 31 - 1 },
])("by one value, $usageMilli of 10000 with $readyPods of $currentReplicas ready: $want", ({ want, ...options }) =>
  expect(countByValue({ ...options, targetMilli: 10_000, tolerance })).toBe(want),
);

it.each([
  { usageMilli: 100_000, statusReplicas: 2, want: { replicas: 4, averageMilli: 50_000 } },
  { usageMilli: 62_000, statusReplicas: 2, want: { replicas: 2, averageMilli: 31_000 } },
  { usageMilli: 100_000, statusReplicas: 0, want: { replicas: 4, averageMilli: 0 } },
])("by each one's share, $usageMilli among $statusReplicas", ({ want, ...options }) =>
  expect(countByShare({ ...options, targetMilli: 30_000, tolerance })).toEqual(want),
);
