import { describe, expect, it } from "vitest";
import type { DaemonSet, Node, Pod } from "../../../shared/api/types.ts";
import { daemonSet, node, pod, T0 } from "../../../test/builders/objects.ts";
import { groupByNode } from "./by-node.ts";
import { BURST_REPLICAS, decide } from "./decide.ts";
import type { FailedPodDelay } from "./failed-pods.ts";

const NOW_MS = Date.parse(T0) + 3_600_000;

const set = (rollingUpdate: { maxUnavailable?: number | string; maxSurge?: number | string } = { maxUnavailable: 1 }) =>
  daemonSet("d")
    .with({ spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate } } })
    .build();
const onDelete = daemonSet("d")
  .with({ spec: { updateStrategy: { type: "OnDelete" } } })
  .build();
const surging = (maxSurge: number | string = 1) => set({ maxSurge, maxUnavailable: 0 });

const nodes = (...names: string[]) => names.map((name) => node(name).build());
const on = (name: string, nodeName: string, hash = "new") =>
  pod(name).onNode(nodeName).labelled({ app: "d", "controller-revision-hash": hash });
const ready = (name: string, nodeName: string, hash?: string) => on(name, nodeName, hash).ready().build();
const pending = (name: string, nodeName: string, hash?: string) => on(name, nodeName, hash).build();
const pinned = (name: string, nodeName: string) => {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [nodeName] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return pod(name)
    .labelled({ "controller-revision-hash": "new" })
    .with({ spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } } })
    .build();
};

interface Situation {
  set: DaemonSet;
  nodes: Node[];
  pods: Pod[];
  delay?: FailedPodDelay;
}

const planOf = ({ set: of, nodes: there, pods, delay }: Situation) =>
  decide({ set: of, nodes: groupByNode(of, there, pods), hash: "new", failedPods: () => delay }, NOW_MS);

const inShort = (situation: Situation) => {
  const { create, remove } = planOf(situation);
  return { create, remove: remove.map(({ metadata }) => metadata.name) };
};

type Case = Situation & { name: string; create?: string[]; remove?: string[] };
const check = ({ create = [], remove = [], ...situation }: Case) =>
  expect(inShort(situation)).toEqual({ create, remove });

describe("each node", () => {
  it.each<Case>([
    { name: "gets a pod", set: set(), nodes: nodes("a", "b"), pods: [ready("p", "a")], create: ["b"] },
    {
      name: "is content with a pod that waits to be scheduled",
      set: set(),
      nodes: nodes("a"),
      pods: [pinned("p", "a")],
    },
    { name: "waits for a leaving pod", set: set(), nodes: nodes("a"), pods: [on("p", "a").ready().deleting().build()] },
    {
      name: "keeps the oldest of several, a scheduled one first",
      set: set(),
      nodes: nodes("a"),
      pods: [pinned("x", "a"), on("y", "a").createdAt("2026-01-01T00:00:09Z").ready().build(), ready("z", "a")],
      remove: ["y", "x"],
    },
    {
      name: "that refuses pods keeps those there",
      set: set(),
      nodes: [node("a").tainted("t", "NoSchedule").build()],
      pods: [ready("p", "a")],
    },
    {
      name: "that refuses pods gets none",
      set: set(),
      nodes: [node("a").tainted("t", "NoSchedule").build()],
      pods: [],
    },
    {
      name: "that drives pods away loses them",
      set: set(),
      nodes: [node("a").tainted("t", "NoExecute").build()],
      pods: [ready("p", "a")],
      remove: ["p"],
    },
    { name: "that is gone leaves bound pods to others", set: set(), nodes: [], pods: [ready("p", "a")] },
    {
      name: "that is gone loses pods that wait for it",
      set: set(),
      nodes: [],
      pods: [pinned("p", "a")],
      remove: ["p"],
    },
    {
      name: "loses a failed pod",
      set: set(),
      nodes: nodes("a"),
      pods: [on("p", "a").phase("Failed").build()],
      remove: ["p"],
    },
    {
      name: "loses a succeeded pod",
      set: set(),
      nodes: nodes("a"),
      pods: [on("p", "a").phase("Succeeded").build()],
      remove: ["p"],
    },
    {
      name: "is free of an ended pod on its way out",
      set: set(),
      nodes: nodes("a"),
      pods: [on("p", "a").phase("Failed").deleting().build()],
      create: ["a"],
    },
    {
      name: "keeps a failed pod while the back-off lasts",
      set: set(),
      nodes: nodes("a"),
      pods: [on("p", "a").phase("Failed").build()],
      delay: { delayMs: 4000, sinceMs: NOW_MS - 1000 },
    },
  ])("$name", check);

  it("tells of ended pods, and when to look again", () => {
    const failed = on("p", "a").phase("Failed").build();
    expect(planOf({ set: set(), nodes: nodes("a"), pods: [failed] })).toMatchObject({
      failedOn: ["a"],
      events: [
        {
          type: "Warning",
          reason: "FailedDaemonPod",
          message: "Found failed daemon pod default/p on node a, will try to kill it",
        },
      ],
    });
    const delay = { delayMs: 4000, sinceMs: NOW_MS - 1000 };
    expect(planOf({ set: set(), nodes: nodes("a"), pods: [failed], delay })).toMatchObject({
      failedOn: [],
      events: [],
      recheckAfterMs: 3000,
    });
    expect(planOf({ set: set(), nodes: nodes("a"), pods: [on("p", "a").phase("Succeeded").build()] }).events).toEqual([
      {
        type: "Normal",
        reason: "SucceededDaemonPod",
        message: "Found succeeded daemon pod default/p on node a, will try to delete it",
      },
    ]);
  });

  it("is served in bursts", () => {
    const many = nodes(...Array.from({ length: BURST_REPLICAS + 1 }, (_, i) => `n${i}`));
    expect(planOf({ set: set(), nodes: many, pods: [] }).create).toHaveLength(BURST_REPLICAS);
  });
});

describe("a rolling update", () => {
  const old = ["a", "b", "c", "d"].map((name) => ready(`old-${name}`, name, "old"));
  const all = nodes("a", "b", "c", "d");
  it.each<Case>([
    { name: "replaces one at a time", set: set(), nodes: all, pods: old, remove: ["old-a"] },
    {
      name: "replaces a share, rounded up",
      set: set({ maxUnavailable: "30%" }),
      nodes: all,
      pods: old,
      remove: ["old-a", "old-b"],
    },
    { name: "waits for the new one", set: set(), nodes: all, pods: [pending("new-a", "a"), ...old.slice(1)] },
    {
      name: "goes on when it is available",
      set: set(),
      nodes: all,
      pods: [ready("new-a", "a"), ...old.slice(1)],
      remove: ["old-b"],
    },
    {
      name: "replaces all that serve nobody at once",
      set: set(),
      nodes: all,
      pods: ["a", "b", "c", "d"].map((name) => pending(`old-${name}`, name, "old")),
      remove: ["old-a", "old-b", "old-c", "old-d"],
    },
    {
      name: "counts a leaving one as missing",
      set: set(),
      nodes: all,
      pods: [on("old-a", "a", "old").ready().deleting().build(), ...old.slice(1)],
    },
    { name: "waits for missing pods first", set: set(), nodes: all, pods: old.slice(1), create: ["a"] },
    { name: "does not happen OnDelete", set: onDelete, nodes: all, pods: old },
    {
      name: "takes one when both limits come to none",
      set: set({ maxUnavailable: 0, maxSurge: 0 }),
      nodes: all,
      pods: old,
      remove: ["old-a"],
    },
  ])("$name", check);
});

describe("a rolling update with surge", () => {
  const old = ["a", "b"].map((name) => ready(`old-${name}`, name, "old"));
  const all = nodes("a", "b");
  it.each<Case>([
    { name: "starts a new pod beside the old one", set: surging(), nodes: all, pods: old, create: ["a"] },
    { name: "starts as many as the limit says", set: surging("100%"), nodes: all, pods: old, create: ["a", "b"] },
    { name: "waits for the new one", set: surging(), nodes: all, pods: [...old, pending("new-a", "a")] },
    {
      name: "gives up the old when the new is available",
      set: surging(),
      nodes: all,
      pods: [...old, ready("new-a", "a")],
      remove: ["old-a"],
    },
    {
      name: "gives up an old one that serves nobody",
      set: surging(),
      nodes: nodes("a"),
      pods: [pending("old-a", "a", "old"), pending("new-a", "a")],
      remove: ["old-a"],
    },
    {
      name: "starts beside one that serves nobody whatever the limit",
      set: surging(),
      nodes: all,
      pods: [pending("old-a", "a", "old"), pending("old-b", "b", "old")],
      create: ["a", "b"],
    },
    {
      name: "makes a pod where the only one is leaving",
      set: surging(),
      nodes: nodes("a"),
      pods: [on("old-a", "a", "old").ready().deleting().build()],
      create: ["a"],
    },
    {
      name: "gives up more than one of each",
      set: surging(),
      nodes: nodes("a"),
      pods: [ready("old-a", "a", "old"), pending("new-a", "a"), pending("new-b", "a")],
      remove: ["new-b"],
    },
    {
      name: "keeps a pod that no longer belongs until another serves in its stead",
      set: surging(),
      nodes: [node("a").tainted("t", "NoSchedule").build(), ...nodes("b")],
      pods: [ready("old-a", "a", "old"), pending("new-b", "b")],
    },
    {
      name: "gives it up then",
      set: surging(),
      nodes: [node("a").tainted("t", "NoSchedule").build(), ...nodes("b")],
      pods: [ready("old-a", "a", "old"), ready("new-b", "b")],
      remove: ["old-a"],
    },
  ])("$name", check);
});
