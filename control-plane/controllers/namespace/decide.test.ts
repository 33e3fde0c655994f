import { describe, expect, it } from "vitest";
import type { Namespace } from "../../../shared/api/types.ts";
import { type Contents, decideConditions, decideNext, type NextStep } from "./decide.ts";

const NOW_MS = Date.parse("2026-10-21T08:01:00Z");
const deleted = (secondsAgo: number): Namespace => ({
  spec: {},
  metadata: { name: "x", deletionTimestamp: new Date(NOW_MS - secondsAgo * 1000).toISOString() },
});

const left = (count: number, more: { finalizers?: Record<string, number>; graceSeconds?: number } = {}): Contents => ({
  remaining: [{ resource: { group: "", resource: "pods" }, count, finalizers: {}, graceSeconds: 0, ...more }],
  errors: [],
});
const nothing: Contents = { remaining: [], errors: [] };

describe("decideNext", () => {
  it.each<{ name: string; ago?: number; contents: Contents; want: Partial<NextStep> }>([
    { name: "lets go of an empty namespace", contents: nothing, want: { step: "finalize" } },
    {
      name: "looks twice while others may still create in it",
      ago: 1,
      contents: nothing,
      want: { step: "wait", afterMs: 2000 },
    },
    {
      name: "waits for half of the grace period of its pods",
      ago: 5,
      contents: left(1, { graceSeconds: 30 }),
      want: { step: "wait", afterMs: 16_000 },
    },
    {
      name: "waits for finalizers",
      contents: left(1, { finalizers: { hold: 1 } }),
      want: { step: "wait", afterMs: 8000 },
    },
    { name: "tries again when something stays without a reason", contents: left(1), want: { step: "retry" } },
    {
      name: "tries again after a failure",
      contents: { remaining: [], errors: ["no"] },
      want: { step: "retry", message: "no" },
    },
  ])("$name", ({ ago = 60, contents, want }) => expect(decideNext(deleted(ago), contents, NOW_MS)).toMatchObject(want));
});

describe("decideConditions", () => {
  const decide = (contents: Contents, isPartial = false) =>
    decideConditions([], contents, { isPartial, nowMs: NOW_MS });

  it("has five, which all turn out well", () => {
    expect(decide(nothing).map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ["NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered"],
      ["NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions"],
      ["NamespaceDeletionContentFailure", "False", "ContentDeleted"],
      ["NamespaceContentRemaining", "False", "ContentRemoved"],
      ["NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers"],
    ]);
  });

  it("tells what remains, in upstream's words", () => {
    const contents: Contents = {
      remaining: [
        { resource: { group: "apps", resource: "deployments" }, count: 1, finalizers: { hold: 1 }, graceSeconds: 0 },
        {
          resource: { group: "", resource: "configmaps" },
          count: 2,
          finalizers: { hold: 2, other: 1 },
          graceSeconds: 0,
        },
      ],
      errors: [],
    };
    expect(
      decide(contents)
        .slice(3)
        .map(({ message }) => message),
    ).toEqual([
      "Some resources are remaining: configmaps. has 2 resource instances, deployments.apps has 1 resource instances",
      "Some content in the namespace has finalizers remaining: hold in 3 resource instances, other in 1 resource instances",
    ]);
    expect(decide(contents, true)[3]?.status).toBe("False");
  });

  it("keeps the time of what did not change", () => {
    const before = decideConditions([], nothing, { isPartial: false, nowMs: NOW_MS - 60_000 });
    expect(decideConditions(before, nothing, { isPartial: false, nowMs: NOW_MS })).toEqual(before);
    const after = decideConditions(before, left(1), { isPartial: false, nowMs: NOW_MS });
    expect(after[3]?.lastTransitionTime).toBe("2026-10-21T08:01:00Z");
    expect(after[4]).toEqual(before[4]);
  });
});
