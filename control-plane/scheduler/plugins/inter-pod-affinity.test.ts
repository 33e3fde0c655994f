import { describe, expect, it } from "vitest";
import type { Node, Pod, PodSpec } from "../../../shared/api/types.ts";
import {
  clusterOf,
  decideOn,
  schedulingNode as node,
  nodeInfos,
  schedulingPod,
} from "../../../test/builders/scheduling.ts";
import { AFFINITY_REASON, ANTI_AFFINITY_REASON, EXISTING_ANTI_AFFINITY_REASON } from "./inter-pod-affinity.ts";

type Affinity = NonNullable<PodSpec["affinity"]>;
type Term = NonNullable<NonNullable<Affinity["podAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]>[number];

const ZONES = [node("a", { labels: { zone: "1", host: "a" } }), node("b", { labels: { zone: "2", host: "b" } })];
const HOSTS_OF_ONE_ZONE = [
  node("a", { labels: { zone: "1", host: "a" } }),
  node("b", { labels: { zone: "1", host: "b" } }),
];
const term = (app: string, more: Partial<Term> = {}): Term => ({
  topologyKey: "zone",
  labelSelector: { matchLabels: { app } },
  ...more,
});
const near = (...terms: Term[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const away = (...terms: Term[]): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const rather = (kind: keyof Affinity, podAffinityTerm: Term, weight = 100): Affinity => ({
  [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] },
});
const pod = (app: string, affinity: Affinity = {}, nodeName?: string, namespace = "default") =>
  schedulingPod({ affinity, nodeName }, undefined, { labels: { app }, namespace });

const NAMESPACES: Record<string, Record<string, string>> = { default: {}, other: { team: "x" } };
const decide = (p: Pod, nodes: Node[], on: Pod[]) => {
  const infos = nodeInfos(nodes, on);
  return decideOn(p, infos, { cluster: clusterOf(infos, { namespaceLabels: (name) => NAMESPACES[name] }) });
};

describe("required (SCH-11)", () => {
  it.each<{ name: string; pod: Pod; on: Pod[]; nodes?: Node[]; want: string | { reasons: string } }>([
    { name: "affinity follows to the zone", pod: pod("x", near(term("db"))), on: [pod("db", {}, "b")], want: "b" },
    {
      name: "affinity to nobody there",
      pod: pod("x", near(term("db"))),
      on: [],
      want: { reasons: `2 ${AFFINITY_REASON}` },
    },
    { name: "affinity to itself, the first", pod: pod("x", near(term("x"))), on: [], want: "a" },
    { name: "affinity to itself, the next", pod: pod("x", near(term("x"))), on: [pod("x", {}, "b")], want: "b" },
    {
      name: "all terms hold for one pod",
      pod: pod("x", near(term("db"), term("cache"))),
      on: [pod("db", {}, "a"), pod("cache", {}, "a")],
      want: { reasons: `2 ${AFFINITY_REASON}` },
    },
    {
      name: "a node without the topology key",
      pod: pod("x", near(term("x", { topologyKey: "rack" }))),
      on: [],
      want: { reasons: `2 ${AFFINITY_REASON}` },
    },
    {
      name: "a pod in another namespace does not count",
      pod: pod("x", near(term("db"))),
      on: [pod("db", {}, "b", "other")],
      want: { reasons: `2 ${AFFINITY_REASON}` },
    },
    {
      name: "unless the namespace is named",
      pod: pod("x", near(term("db", { namespaces: ["other"] }))),
      on: [pod("db", {}, "b", "other")],
      want: "b",
    },
    {
      name: "or selected",
      pod: pod("x", near(term("db", { namespaceSelector: { matchLabels: { team: "x" } } }))),
      on: [pod("db", {}, "b", "other")],
      want: "b",
    },
    {
      name: "an empty namespace selector selects all",
      pod: pod("x", near(term("db", { namespaceSelector: {} }))),
      on: [pod("db", {}, "b", "other")],
      want: "b",
    },
    {
      name: "a term without a selector selects nobody",
      pod: pod("x", near(term("db", { labelSelector: undefined }))),
      on: [pod("db", {}, "b")],
      want: { reasons: `2 ${AFFINITY_REASON}` },
    },
    { name: "anti-affinity avoids the zone", pod: pod("x", away(term("x"))), on: [pod("x", {}, "a")], want: "b" },
    {
      name: "anti-affinity in the same zone, both hosts",
      pod: pod("x", away(term("x"))),
      on: [pod("x", {}, "a")],
      nodes: HOSTS_OF_ONE_ZONE,
      want: { reasons: `2 ${ANTI_AFFINITY_REASON}` },
    },
    {
      name: "one of several terms is enough to avoid",
      pod: pod("x", away(term("q"), term("db"))),
      on: [pod("db", {}, "a")],
      want: "b",
    },
    {
      name: "a pod there that wants to be away from this one",
      pod: pod("x"),
      on: [pod("db", away(term("x")), "a")],
      nodes: HOSTS_OF_ONE_ZONE,
      want: { reasons: `2 ${EXISTING_ANTI_AFFINITY_REASON}` },
    },
    {
      name: "one there with a namespace selector",
      pod: pod("x", {}, undefined, "other"),
      on: [pod("db", away(term("x", { namespaceSelector: { matchLabels: { team: "x" } } })), "a")],
      want: "b",
    },
    {
      name: "one there in another namespace means its own",
      pod: pod("x", {}, undefined, "other"),
      on: [pod("db", away(term("x")), "a"), pod("db", away(term("x")), "b")],
      want: "a",
    },
  ])("$name", ({ pod: p, on, nodes = ZONES, want }) => {
    const decision = decide(p, nodes, on);
    if (typeof want === "string") expect(decision).toMatchObject({ fits: true, node: { name: want } });
    else expect(!decision.fits && decision.message).toContain(`0/2 nodes are available: ${want.reasons}. `);
  });
});

describe("preferred (SCH-12)", () => {
  it.each<{ name: string; pod: Pod; on: Pod[]; want: string }>([
    { name: "affinity", pod: pod("x", rather("podAffinity", term("db"))), on: [pod("db", {}, "b")], want: "b" },
    { name: "anti-affinity", pod: pod("x", rather("podAntiAffinity", term("x"))), on: [pod("x", {}, "a")], want: "b" },
    {
      name: "one there that would rather have it near",
      pod: pod("x"),
      on: [pod("db", rather("podAffinity", term("x")), "b")],
      want: "b",
    },
    { name: "one there that needs it near", pod: pod("x"), on: [pod("db", near(term("x")), "b")], want: "b" },
    {
      name: "one there that would rather not",
      pod: pod("x"),
      on: [pod("db", rather("podAntiAffinity", term("x")), "a")],
      want: "b",
    },
    {
      name: "weights add up over pods",
      pod: pod("x", rather("podAffinity", term("db"), 10)),
      on: [pod("db", {}, "a"), pod("db", {}, "b"), pod("db", {}, "b"), pod("db", {}, "b")],
      want: "b",
    },
  ])("$name", ({ pod: p, on, want }) =>
    expect(decide(p, ZONES, on)).toMatchObject({ fits: true, node: { name: want } }),
  );
});
