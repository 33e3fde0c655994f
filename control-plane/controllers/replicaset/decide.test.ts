import { describe, expect, it } from "vitest";
import type { Pod, ReplicaSet, ReplicaSetStatus } from "../../../shared/api/types.ts";
import { BURST_REPLICAS, decideReplicas, decideStatus } from "./decide.ts";
import { decideVictims } from "./victims.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");
const ago = (seconds: number) => new Date(NOW_MS - seconds * 1000).toISOString();

interface PodFacts {
  node?: string;
  phase?: string;
  readyFor?: number;
  age?: number;
  restarts?: number;
  cost?: string;
}

const pod = (
  name: string,
  { node = "n1", phase = "Running", readyFor, age = 600, restarts = 0, cost }: PodFacts = {},
): Pod => ({
  metadata: {
    name,
    namespace: "default",
    uid: name,
    labels: { app: "web" },
    creationTimestamp: ago(age),
    ...(cost === undefined ? {} : { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } }),
  },
  spec: { nodeName: node, containers: [{ name: "c" }] },
  status: {
    phase,
    conditions: readyFor === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: ago(readyFor) }],
    containerStatuses: [{ name: "c", restartCount: restarts, ready: true, image: "", imageID: "" }],
  },
});

const rs = (replicas: number, more: Partial<ReplicaSet["spec"]> = {}, status?: ReplicaSetStatus): ReplicaSet => ({
  metadata: { name: "web", namespace: "default", uid: "rs", generation: 1 },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } } },
    ...more,
  },
  status,
});

const many = (count: number) => Array.from({ length: count }, (_, i) => pod(`p${i}`));

describe("decideReplicas", () => {
  it.each([
    { name: "creates all that is missing", rs: rs(3), active: [], want: { create: 3, remove: 0 } },
    { name: "creates the difference", rs: rs(3), active: many(2), want: { create: 1, remove: 0 } },
    { name: "is content", rs: rs(2), active: many(2), want: { create: 0, remove: 0 } },
    { name: "deletes what is too much", rs: rs(1), active: many(3), want: { create: 0, remove: 2 } },
    { name: "goes in bursts", rs: rs(5000), active: [], want: { create: BURST_REPLICAS, remove: 0 } },
    {
      name: "does nothing while it is being deleted",
      rs: { ...rs(3), metadata: { ...rs(3).metadata, deletionTimestamp: ago(0) } },
      active: [],
      want: { create: 0, remove: 0 },
    },
  ])("$name", ({ rs, active, want }) => {
    const { create, remove } = decideReplicas(rs, active, [], NOW_MS);
    expect({ create, remove: remove.length }).toEqual(want);
  });
});

describe("decideVictims", () => {
  const ready = (name: string, more: PodFacts = {}) => pod(name, { readyFor: 300, ...more });
  it.each<{ name: string; pods: Pod[]; related?: Pod[]; first: string }>([
    { name: "one that has no node", pods: [ready("a"), pod("b", { node: "", phase: "Pending" })], first: "b" },
    { name: "a pending one before one that runs", pods: [pod("a"), pod("b", { phase: "Pending" })], first: "b" },
    { name: "one that is not ready", pods: [ready("a"), pod("b")], first: "b" },
    { name: "the cheapest", pods: [ready("a", { cost: "10" }), ready("b", { cost: "-5" }), ready("c")], first: "b" },
    {
      name: "one on the node with the most of its kin",
      pods: [ready("a", { node: "n1" }), ready("b", { node: "n2" })],
      related: [ready("a", { node: "n1" }), ready("b", { node: "n2" }), ready("x", { node: "n2" })],
      first: "b",
    },
    {
      name: "one that is ready for a shorter time",
      pods: [ready("a", { readyFor: 9000 }), ready("b", { readyFor: 10 })],
      first: "b",
    },
    { name: "one with more restarts", pods: [ready("a"), ready("b", { restarts: 3 })], first: "b" },
    { name: "a younger one", pods: [ready("a", { age: 90_000 }), ready("b", { age: 10 })], first: "b" },
    {
      name: "any one, by uid, of those of a similar age",
      pods: [ready("b", { age: 700, readyFor: 300 }), ready("a", { age: 701, readyFor: 301 })],
      first: "a",
    },
  ])("gives up first $name", ({ pods, related = pods, first }) =>
    expect(decideVictims(pods, related, 1, NOW_MS).map(({ metadata }) => metadata.name)).toEqual([first]),
  );
});

describe("decideStatus", () => {
  const decide = (of: ReplicaSet, active: Pod[], more: { terminatingCount?: number; failure?: string } = {}) =>
    decideStatus({ rs: of, active, terminatingCount: 0, failure: undefined, nowMs: NOW_MS, ...more });

  it("counts, and leaves zeros out", () => {
    expect(decide(rs(2), [])).toEqual({ replicas: 0, terminatingReplicas: 0, observedGeneration: 1 });
    const other = pod("b", { readyFor: 5 });
    other.metadata.labels = { app: "web-too" };
    expect(
      decide(rs(2, { minReadySeconds: 10 }), [pod("a", { readyFor: 60 }), other], { terminatingCount: 1 }),
    ).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 1,
      observedGeneration: 1,
    });
  });

  it("writes nothing that is there already", () => {
    const status = decide(rs(1), [pod("a")]);
    expect(decide(rs(1, {}, status), [pod("a")])).toBeUndefined();
  });

  it("tells of a failure while it lasts", () => {
    const failed = decide(rs(1), [], { failure: "quota" });
    expect(failed?.conditions).toMatchObject([
      { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "quota" },
    ]);
    expect(decide(rs(1, {}, failed), [], { failure: "another" })).toBeUndefined();
    expect(decide(rs(1, {}, failed), [])?.conditions).toBeUndefined();
  });
});
