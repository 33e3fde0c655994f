import { describe, expect, it } from "vitest";
import type { Deployment, Pod, ReplicaSet } from "../../../shared/api/types.ts";
import { decide } from "./decide.ts";
import { rollingLimits } from "./rolling-limits.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:00Z");
const at = (secondsAgo: number) => `${new Date(NOW_MS - secondsAgo * 1000).toISOString().slice(0, 19)}Z`;

type Spec = Deployment["spec"];
const template = (image: string) => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image }] },
});

const rolling = (maxSurge: number | string, maxUnavailable: number | string): Spec["strategy"] => ({
  type: "RollingUpdate",
  rollingUpdate: { maxSurge, maxUnavailable },
});

function deployment(replicas: number, more: Partial<Spec> = {}, status: Deployment["status"] = {}): Deployment {
  return {
    metadata: { name: "web", namespace: "default", uid: "d", generation: 2, annotations: { team: "blue" } },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: template("b"),
      strategy: rolling(1, 0),
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...more,
    },
    status,
  };
}

interface RsFacts {
  image: string;
  size: number;
  available?: number;
  revision?: number | string;
  desired?: number;
  max?: number;
  age?: number;
}

function rs(
  name: string,
  { image, size, available = size, revision = 1, desired, max, age = 100 }: RsFacts,
): ReplicaSet {
  const note = (key: string, value: number | string | undefined) =>
    value === undefined ? {} : { [`deployment.kubernetes.io/${key}`]: String(value) };
  return {
    metadata: {
      name,
      namespace: "default",
      uid: name,
      creationTimestamp: at(age),
      generation: 1,
      annotations: {
        ...note("revision", revision),
        ...note("desired-replicas", desired),
        ...note("max-replicas", max),
        team: "blue",
      },
    },
    spec: { replicas: size, selector: { matchLabels: { app: "web" } }, template: template(image) },
    status: {
      replicas: size,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: 1,
      terminatingReplicas: 0,
    },
  };
}

const plan = (d: Deployment, replicaSets: ReplicaSet[], pods: Record<string, Pod[]> = {}) =>
  decide({ deployment: d, replicaSets, podsOf: new Map(Object.entries(pods)) }, NOW_MS);

const writes = (d: Deployment, sets: ReplicaSet[], pods?: Record<string, Pod[]>) =>
  plan(d, sets, pods).writes.map(
    ({ op, replicaSet }) => `${op} ${op === "create" ? "new" : replicaSet.metadata.name} ${replicaSet.spec.replicas}`,
  );

describe("rollingLimits", () => {
  it.each([
    [2, "25%", "25%", { maxSurge: 1, maxUnavailable: 0 }],
    [10, "25%", "25%", { maxSurge: 3, maxUnavailable: 2 }],
    [2, 0, "25%", { maxSurge: 0, maxUnavailable: 1 }],
    [3, 1, 5, { maxSurge: 1, maxUnavailable: 3 }],
    [0, "25%", "25%", { maxSurge: 0, maxUnavailable: 0 }],
  ] as const)("of %i with %s and %s", (replicas, surge, unavailable, want) =>
    expect(rollingLimits(deployment(replicas, { strategy: rolling(surge, unavailable) }))).toEqual(want),
  );
});

describe("decide", () => {
  it.each<{ name: string; d: Deployment; sets: ReplicaSet[]; want: string[] }>([
    { name: "makes the first ReplicaSet whole", d: deployment(3), sets: [], want: ["create new 3"] },
    {
      name: "adds the new within replicas + maxSurge",
      d: deployment(4),
      sets: [rs("old", { image: "a", size: 4 })],
      want: ["create new 1"],
    },
    {
      name: "waits for the new to be available before it takes from the old",
      d: deployment(4),
      sets: [rs("old", { image: "a", size: 4 }), rs("new", { image: "b", size: 1, available: 0, revision: 2 })],
      want: [],
    },
    {
      name: "takes from the old what the new replaced",
      d: deployment(4),
      sets: [rs("old", { image: "a", size: 4 }), rs("new", { image: "b", size: 1, revision: 2 })],
      want: ["update old 3"],
    },
    {
      name: "counts no pod twice that the old is about to take down already",
      d: deployment(6, { strategy: rolling(1, 0) }),
      sets: [
        rs("old", { image: "a", size: 3, available: 4, age: 200 }),
        rs("new", { image: "b", size: 4, revision: 2 }),
      ],
      want: ["update old 2"],
    },
    {
      name: "takes old pods first that are not available",
      d: deployment(4, { strategy: rolling(0, 2) }),
      sets: [
        rs("older", { image: "x", size: 2, age: 300 }),
        rs("broken", { image: "a", size: 2, available: 0, age: 200 }),
        rs("new", { image: "b", size: 0, revision: 3 }),
      ],
      want: ["update broken 0"],
    },
    {
      name: "scales the one that is active when spec.replicas changes",
      d: deployment(5),
      sets: [rs("new", { image: "b", size: 3, revision: 1, desired: 3, max: 4 })],
      want: ["update new 5"],
    },
    {
      name: "shares a change in the middle of a rollout in proportion",
      d: deployment(20, { strategy: rolling(2, 2) }),
      sets: [
        rs("old", { image: "a", size: 8, desired: 10, max: 12, age: 200 }),
        rs("new", { image: "b", size: 4, revision: 2, desired: 10, max: 12 }),
      ],
      want: ["update old 15", "update new 7"],
    },
    {
      name: "makes no ReplicaSet while paused",
      d: deployment(3, { paused: true }),
      sets: [rs("old", { image: "a", size: 3 })],
      want: [],
    },
    {
      name: "scales while paused",
      d: deployment(5, { paused: true }),
      sets: [rs("old", { image: "a", size: 3 })],
      want: ["update old 5"],
    },
    {
      name: "does nothing to one that is being deleted",
      d: { ...deployment(3), metadata: { ...deployment(3).metadata, deletionTimestamp: at(0) } },
      sets: [],
      want: [],
    },
  ])("$name", ({ d, sets, want }) => expect(writes(d, sets)).toEqual(want));

  it("uses a ReplicaSet again, under a new revision", () => {
    const [write] = plan(deployment(1), [
      rs("first", { image: "b", size: 0, age: 500 }),
      rs("second", { image: "a", size: 1, revision: 3 }),
    ]).writes;
    expect(write?.replicaSet.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "4",
      "deployment.kubernetes.io/revision-history": "1",
    });
  });

  it.each([
    { name: "past the whole numbers that a double holds", old: "3546343826724305832", want: "3546343826724305833" },
    { name: "up to the largest int64", old: "9223372036854775806", want: "9223372036854775807" },
    { name: "from the start when the old one is no int64", old: "9223372036854775808", want: "1" },
    { name: "from the start when the old one is no number", old: "two", want: "1" },
  ])("counts revisions $name", ({ old, want }) => {
    const { writes, revision } = plan(deployment(1), [rs("first", { image: "a", size: 1, revision: old })]);
    expect(writes[0]?.replicaSet.metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision": want });
    expect(revision).toBe(want);
  });

  it("copies the annotations of the Deployment, save its own", () => {
    const d = deployment(1);
    d.metadata.annotations = { team: "blue", "kubectl.kubernetes.io/last-applied-configuration": "{}" };
    expect(plan(d, []).writes[0]?.replicaSet.metadata.annotations).toEqual({
      team: "blue",
      "deployment.kubernetes.io/revision": "1",
      "deployment.kubernetes.io/desired-replicas": "1",
      "deployment.kubernetes.io/max-replicas": "2",
    });
  });

  it("removes the oldest empty ReplicaSets once the rollout is done", () => {
    const done = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
    const old = [1, 2, 3].map((revision) => rs(`r${revision}`, { image: `old${revision}`, size: 0, revision }));
    const current = rs("new", { image: "b", size: 1, revision: 4 });
    const removed = (d: Deployment) => writes(d, [...old, current]).filter((text) => text.startsWith("delete"));
    expect(removed(deployment(1, { revisionHistoryLimit: 1 }, done))).toEqual(["delete r1 0", "delete r2 0"]);
    expect(removed(deployment(1, { revisionHistoryLimit: 1 }, { ...done, updatedReplicas: 0 }))).toEqual([]);
  });

  it("recreates: the old to zero, and the new when their last pod has ended", () => {
    const d = deployment(2, { strategy: { type: "Recreate" } });
    const running: Pod = { metadata: { name: "p" }, spec: { containers: [] }, status: { phase: "Running" } };
    expect(writes(d, [rs("old", { image: "a", size: 2 })])).toEqual(["update old 0"]);
    expect(writes(d, [rs("old", { image: "a", size: 0 })], { old: [running] })).toEqual([]);
    expect(
      writes(d, [rs("old", { image: "a", size: 0 })], { old: [{ ...running, status: { phase: "Failed" } }] }),
    ).toEqual(["create new 2"]);
  });
});

describe("the conditions", () => {
  const progressing = (reason: string, secondsAgo: number, status = "True") => ({
    type: "Progressing",
    status,
    reason,
    message: "",
    lastUpdateTime: at(secondsAgo),
    lastTransitionTime: at(9000),
  });
  const current = (available: number) => rs("web-1", { image: "b", size: 3, available, revision: 1 });
  const find = (d: Deployment, set: ReplicaSet, type: string) =>
    plan(d, [set]).status?.conditions?.find((condition) => condition.type === type);

  it.each([
    {
      name: "progress renews the update time alone",
      available: 2,
      was: { readyReplicas: 1, availableReplicas: 1 },
      since: 500,
      want: ["True", "ReplicaSetUpdated", at(0), at(9000)],
    },
    {
      name: "the end is told once",
      available: 3,
      was: {},
      since: 500,
      want: ["True", "NewReplicaSetAvailable", at(0), at(9000)],
    },
    {
      name: "the deadline counts from the last progress",
      available: 1,
      was: { readyReplicas: 1, availableReplicas: 1 },
      since: 601,
      want: ["False", "ProgressDeadlineExceeded", at(0), at(0)],
    },
  ])("$name", ({ available, was, since, want }) => {
    const status = { replicas: 3, updatedReplicas: 3, ...was, conditions: [progressing("ReplicaSetUpdated", since)] };
    const condition = find(deployment(3, {}, status), current(available), "Progressing");
    expect([condition?.status, condition?.reason, condition?.lastUpdateTime, condition?.lastTransitionTime]).toEqual(
      want,
    );
  });

  it("looks again when the deadline is due", () => {
    const first = plan(deployment(3, {}, { conditions: [progressing("ReplicaSetUpdated", 100)] }), [current(1)]);
    const d = deployment(3, {}, { ...first.status, conditions: first.status?.conditions });
    d.metadata.annotations = { ...d.metadata.annotations, "deployment.kubernetes.io/revision": "1" };
    expect(plan(d, [current(1)])).toMatchObject({ writes: [], recheckAfterMs: 601_000 });
  });

  it("has nothing to look at again for once a rollout was complete, though a pod is missing now", () => {
    const first = plan(deployment(3, {}, { conditions: [progressing("NewReplicaSetAvailable", 10_000)] }), [
      current(1),
    ]);
    const d = deployment(3, {}, { ...first.status, conditions: first.status?.conditions });
    d.metadata.annotations = { ...d.metadata.annotations, "deployment.kubernetes.io/revision": "1" };
    const again = plan(d, [current(1)]);
    expect([again.writes, again.status, again.recheckAfterMs]).toEqual([[], undefined, undefined]);
  });

  it("a pause and its end are told", () => {
    const paused = deployment(3, { paused: true }, { conditions: [progressing("ReplicaSetUpdated", 100)] });
    expect(find(paused, current(3), "Progressing")).toMatchObject({ status: "Unknown", reason: "DeploymentPaused" });
    const resumed = deployment(
      3,
      {},
      {
        replicas: 3,
        updatedReplicas: 3,
        readyReplicas: 1,
        availableReplicas: 1,
        conditions: [progressing("DeploymentPaused", 100, "Unknown")],
      },
    );
    expect(find(resumed, current(1), "Progressing")).toMatchObject({ status: "Unknown", reason: "DeploymentResumed" });
  });

  it("Available follows maxUnavailable", () => {
    const d = deployment(3, { strategy: rolling(0, 1) });
    expect(find(d, current(2), "Available")).toMatchObject({ status: "True", reason: "MinimumReplicasAvailable" });
    expect(find(d, current(1), "Available")).toMatchObject({ status: "False", reason: "MinimumReplicasUnavailable" });
  });

  it("takes a failure over from its ReplicaSet", () => {
    const failed = current(0);
    failed.status!.conditions = [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "quota" }];
    expect(find(deployment(3), failed, "ReplicaFailure")).toMatchObject({ reason: "FailedCreate", message: "quota" });
  });
});
