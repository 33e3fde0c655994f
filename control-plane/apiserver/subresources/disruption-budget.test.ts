import { describe, expect, it } from "vitest";
import type { ApiError } from "../../../shared/api/status.ts";
import type { Pod, PodDisruptionBudget } from "../../../shared/api/types.ts";
import { isPastBudgets, mayIgnoreBudget, useBudget } from "./disruption-budget.ts";

const NOW = "2026-10-21T08:10:00Z";

const budget = (status: PodDisruptionBudget["status"], spec = {}): PodDisruptionBudget => ({
  metadata: { name: "b", namespace: "default", generation: 1 },
  spec,
  status: { observedGeneration: 1, ...status },
});

const pod = (isReady: boolean, phase = "Running", deletionTimestamp?: string): Pod => ({
  metadata: { name: "p", ...(deletionTimestamp ? { deletionTimestamp } : {}) },
  spec: { containers: [] },
  status: { phase, conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
});

function refusalOf(given: PodDisruptionBudget): { code: number; message?: string; retryAfterSeconds?: number } {
  try {
    useBudget(given, "p", NOW);
  } catch (error) {
    const { code, details } = (error as ApiError).status;
    return { code, message: details?.causes?.[0]?.message, retryAfterSeconds: details?.retryAfterSeconds };
  }
  throw new Error("it was allowed");
}

const allowed = (status: string, reason: string, message: string) => [
  { type: "DisruptionAllowed", status, reason, message, lastTransitionTime: NOW },
];

describe("useBudget", () => {
  it("takes one disruption and notes the pod", () => {
    const used = useBudget(budget({ disruptionsAllowed: 2, disruptedPods: { a: NOW } }), "p", NOW);
    expect(used.status).toMatchObject({ disruptionsAllowed: 1, disruptedPods: { a: NOW, p: NOW } });
  });
  it("turns the condition with the last one", () => {
    const used = useBudget(
      budget({ disruptionsAllowed: 1, conditions: allowed("True", "SufficientPods", "") }),
      "p",
      NOW,
    );
    expect(used.status).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ status: "False", reason: "InsufficientPods" }],
    });
  });
  it.each([
    {
      name: "a count that is behind the spec",
      given: budget({ observedGeneration: 0, disruptionsAllowed: 1 }),
      want: {
        code: 429,
        message: "The disruption budget b is still being processed by the server.",
        retryAfterSeconds: 10,
      },
    },
    {
      name: "too few healthy pods",
      given: budget({ disruptionsAllowed: 0, desiredHealthy: 2, currentHealthy: 2 }),
      want: {
        code: 429,
        message: "The disruption budget b needs 2 healthy pods and has 2 currently",
        retryAfterSeconds: undefined,
      },
    },
    {
      name: "a count that failed",
      given: budget({ disruptionsAllowed: 0, conditions: allowed("False", "SyncFailed", "why") }),
      want: {
        code: 429,
        message: "The disruption budget b does not allow evicting pods currently because it failed sync: why",
        retryAfterSeconds: undefined,
      },
    },
    {
      name: "another reason",
      given: budget({
        disruptionsAllowed: 0,
        desiredHealthy: 0,
        currentHealthy: 1,
        conditions: allowed("False", "R", "m"),
      }),
      want: {
        code: 429,
        message: "The disruption budget b does not allow evicting pods currently (R): m",
        retryAfterSeconds: undefined,
      },
    },
    {
      name: "no reason",
      given: budget({ disruptionsAllowed: 0, desiredHealthy: 0, currentHealthy: 1 }),
      want: {
        code: 429,
        message: "The disruption budget b does not allow evicting pods currently",
        retryAfterSeconds: undefined,
      },
    },
    { name: "a count below zero", given: budget({ disruptionsAllowed: -1 }), want: { code: 403 } },
    {
      name: "too many that are not confirmed",
      given: budget({
        disruptionsAllowed: 1,
        disruptedPods: Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`p${index}`, NOW])),
      }),
      want: { code: 403 },
    },
  ])("refuses with $name", ({ given, want }) => expect(refusalOf(given)).toMatchObject(want));
});

it.each([
  {
    name: "a ready pod",
    pod: pod(true),
    given: budget({}, { unhealthyPodEvictionPolicy: "AlwaysAllow" }),
    want: false,
  },
  {
    name: "a broken pod of a policy that always allows",
    pod: pod(false),
    given: budget({}, { unhealthyPodEvictionPolicy: "AlwaysAllow" }),
    want: true,
  },
  {
    name: "a broken pod beside enough others",
    pod: pod(false),
    given: budget({ currentHealthy: 1, desiredHealthy: 1 }),
    want: true,
  },
  {
    name: "a broken pod beside too few",
    pod: pod(false),
    given: budget({ currentHealthy: 0, desiredHealthy: 1 }),
    want: false,
  },
  {
    name: "a broken pod where none is wanted",
    pod: pod(false),
    given: budget({ currentHealthy: 0, desiredHealthy: 0 }),
    want: false,
  },
])("$name goes without its budget: $want", ({ pod, given, want }) => expect(mayIgnoreBudget(pod, given)).toBe(want));

it.each([
  { name: "running", pod: pod(true), want: false },
  { name: "pending", pod: pod(false, "Pending"), want: true },
  { name: "ended", pod: pod(false, "Failed"), want: true },
  { name: "on its way out", pod: pod(true, "Running", NOW), want: true },
])("a pod that is $name counts for no budget: $want", ({ pod, want }) => expect(isPastBudgets(pod)).toBe(want));
