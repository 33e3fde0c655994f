import { describe, expect, it } from "vitest";
import type { Node, Pod, PodSpec } from "../../../shared/api/types.ts";
import {
  clusterOf,
  decideOn,
  schedulingNode as node,
  nodeInfos,
  schedulingPod,
} from "../../../test/builders/scheduling.ts";
import { MISSING_LABEL_REASON, REASON } from "./pod-topology-spread.ts";

type Constraint = NonNullable<PodSpec["topologySpreadConstraints"]>[number];

const ZONE = "topology.kubernetes.io/zone";
const HOST = "kubernetes.io/hostname";
const zoned = (name: string, zone: string, more: Parameters<typeof node>[1] = {}) =>
  node(name, { ...more, labels: { [ZONE]: zone, [HOST]: name, ...more.labels } });
const ZONES = [zoned("a", "1"), zoned("b", "2")];
const even = (more: Partial<Constraint> = {}): Constraint => ({
  maxSkew: 1,
  topologyKey: ZONE,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: { app: "x" } },
  ...more,
});
const pod = (constraints: Constraint[], more: Parameters<typeof schedulingPod>[2] & { spec?: Partial<PodSpec> } = {}) =>
  schedulingPod({ topologySpreadConstraints: constraints, ...more.spec }, undefined, { labels: { app: "x" }, ...more });
const there = (nodeName: string, more: Parameters<typeof schedulingPod>[2] = {}) =>
  schedulingPod({ nodeName }, undefined, { labels: { app: "x" }, ...more });
/** They make node b the fuller one, and nothing more. */
const UNCOUNTED = [there("b", { labels: {} }), there("b", { labels: {} })];
const taint = { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } };

describe("DoNotSchedule (SCH-13, SCH-14)", () => {
  it.each<{ name: string; pod: Pod; nodes?: Node[]; on?: Pod[]; want: string | { reasons: string } }>([
    { name: "the emptier zone", pod: pod([even()]), on: [there("a")], want: "b" },
    {
      name: "the emptier zone is not to be had",
      pod: pod([even()]),
      nodes: [zoned("a", "1"), zoned("b", "2", taint)],
      on: [there("a")],
      want: { reasons: `1 node(s) had untolerated taint(s), 1 ${REASON}` },
    },
    {
      name: "domains of tainted nodes do not count if taints are honoured",
      pod: pod([even({ nodeTaintsPolicy: "Honor" })]),
      nodes: [zoned("a", "1"), zoned("b", "2", taint)],
      on: [there("a")],
      want: "a",
    },
    {
      name: "domains that the pod's selector rules out do not count",
      pod: pod([even()], { spec: { nodeSelector: { [HOST]: "a" } } }),
      on: [there("a")],
      want: "a",
    },
    {
      name: "unless affinity is ignored",
      pod: pod([even({ nodeAffinityPolicy: "Ignore" })], { spec: { nodeSelector: { [HOST]: "a" } } }),
      on: [there("a")],
      want: { reasons: `1 ${REASON}, 1 node(s) didn't match Pod's node affinity/selector` },
    },
    {
      name: "maxSkew is the difference allowed",
      pod: pod([even({ maxSkew: 2 })]),
      on: [there("a"), ...UNCOUNTED],
      want: "a",
    },
    {
      name: "pods of other namespaces do not count",
      pod: pod([even()]),
      on: [there("a", { namespace: "other" }), ...UNCOUNTED],
      want: "a",
    },
    {
      name: "nor do those going away",
      pod: pod([even()]),
      on: [there("a", { deleted: true }), ...UNCOUNTED],
      want: "a",
    },
    {
      name: "no zones at all",
      pod: pod([even()]),
      nodes: [node("a"), node("b")],
      want: { reasons: `2 ${MISSING_LABEL_REASON}` },
    },
    {
      name: "fewer domains than asked for are measured by zero",
      pod: pod([even({ minDomains: 3 })]),
      on: [there("a"), there("b")],
      want: { reasons: `2 ${REASON}` },
    },
    { name: "enough domains are not", pod: pod([even({ minDomains: 2 })]), on: [there("a"), there("b")], want: "a" },
    {
      name: "matchLabelKeys tell revisions apart",
      pod: pod([even({ matchLabelKeys: ["rev"] })], { labels: { app: "x", rev: "2" } }),
      on: [there("a", { labels: { app: "x", rev: "1" } }), there("b", { labels: { app: "x", rev: "2" } })],
      want: "a",
    },
    {
      name: "all constraints hold",
      pod: pod([even(), even({ topologyKey: HOST })]),
      nodes: [zoned("a", "1"), zoned("b", "2"), zoned("c", "2")],
      on: [there("a"), there("b")],
      want: "c",
    },
  ])("$name", ({ pod: p, nodes = ZONES, on = [], want }) => {
    const decision = decideOn(p, nodeInfos(nodes, on));
    if (typeof want === "string") expect(decision).toMatchObject({ fits: true, node: { name: want } });
    else {
      const said = want.reasons.split(", ").sort().join(", ");
      expect(!decision.fits && decision.message).toContain(`${nodes.length} nodes are available: ${said}. `);
    }
  });
});

describe("ScheduleAnyway and the cluster's defaults (SCH-06, SCH-15)", () => {
  const busy = (nodeName: string) => schedulingPod({ nodeName }, { cpu: "100m", memory: "200Mi" });
  it.each<{ name: string; pod: Pod; nodes?: Node[]; on: Pod[]; isReplica?: boolean; want: string }>([
    {
      name: "prefers the emptier zone to the emptier node",
      pod: pod([even({ whenUnsatisfiable: "ScheduleAnyway" })]),
      on: [there("a"), busy("b"), busy("b")],
      want: "b",
    },
    {
      name: "a node without the key has no score of it",
      pod: pod([even({ whenUnsatisfiable: "ScheduleAnyway" })]),
      nodes: [node("a"), zoned("b", "2")],
      on: [busy("b")],
      want: "b",
    },
    {
      name: "replicas spread over hosts",
      pod: pod([]),
      on: [there("a"), busy("b"), busy("b")],
      isReplica: true,
      want: "b",
    },
    {
      name: "also where there are no zones",
      pod: pod([]),
      nodes: [node("a", { labels: { [HOST]: "a" } }), node("b", { labels: { [HOST]: "b" } })],
      on: [there("a"), busy("b"), busy("b")],
      isReplica: true,
      want: "b",
    },
    { name: "a pod of its own does not", pod: pod([]), on: [there("a"), busy("b"), busy("b")], want: "a" },
  ])("$name", ({ pod: p, nodes = ZONES, on, isReplica = false, want }) => {
    const infos = nodeInfos(nodes, on);
    const replicaSelectors = () => (isReplica ? [{ matchLabels: { app: "x" } }] : []);
    const decision = decideOn(p, infos, { cluster: clusterOf(infos, { replicaSelectors }) });
    expect(decision).toMatchObject({ fits: true, node: { name: want } });
  });
});
