import { describe, expect, it } from "vitest";
import type { Node, Pod, PodSpec } from "../../shared/api/types.ts";
import {
  clusterOf,
  decideOn as decide,
  nodeInfos as infos,
  schedulingNode as node,
  schedulingPod as pod,
} from "../../test/builders/scheduling.ts";
import { wokenByNodeChange } from "./cluster-events.ts";
import { ClusterState } from "./cluster-state.ts";
import { numFeasibleNodesToFind } from "./framework/cycle.ts";
import { podInfoOf } from "./framework/node-info.ts";
import { podAmounts } from "./framework/pod-amounts.ts";
import { SCORES } from "./plugins/index.ts";

const NOT_HELPFUL = "1 Preemption is not helpful for scheduling.";
const NO_VICTIMS = "1 No preemption victims found for incoming pod.";
const hostPort = (hostIP?: string) => ({
  containers: [{ name: "m", image: "i", ports: [{ containerPort: 80, hostPort: 8080, hostIP }] }],
});

const affineToNames = (...lists: string[][]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: lists.map((values) => ({ key: "metadata.name", operator: "In", values })) }],
      },
    },
  },
});

describe("filters (SCH-02, SCH-03, SCH-17, SCH-19)", () => {
  it.each<{ name: string; pod: Pod; node: Node; on?: Pod[]; message?: string }>([
    { name: "no requests fit anywhere (SCH-07)", pod: pod(), node: node("n") },
    {
      name: "cordoned (PDB-09)",
      pod: pod(),
      node: node("n", { spec: { unschedulable: true } }),
      message: `1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/1 nodes are available: ${NOT_HELPFUL}`,
    },
    {
      name: "cordoned, tolerated",
      pod: pod({ tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] }),
      node: node("n", { spec: { unschedulable: true } }),
    },
    {
      name: "untolerated taint",
      pod: pod(),
      node: node("n", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }),
      message: `1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/1 nodes are available: ${NOT_HELPFUL}`,
    },
    {
      name: "NoExecute keeps out too (SCH-10)",
      pod: pod(),
      node: node("n", { spec: { taints: [{ key: "k", effect: "NoExecute" }] } }),
      message: `1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/1 nodes are available: ${NOT_HELPFUL}`,
    },
    {
      name: "PreferNoSchedule does not",
      pod: pod(),
      node: node("n", { spec: { taints: [{ key: "k", effect: "PreferNoSchedule" }] } }),
    },
    {
      name: "tolerated by value",
      pod: pod({ tolerations: [{ key: "k", operator: "Equal", value: "v", effect: "NoSchedule" }] }),
      node: node("n", { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } }),
    },
    {
      name: "another value",
      pod: pod({ tolerations: [{ key: "k", operator: "Equal", value: "w" }] }),
      node: node("n", { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } }),
      message: `1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/1 nodes are available: ${NOT_HELPFUL}`,
    },
    {
      name: "nodeSelector",
      pod: pod({ nodeSelector: { disk: "ssd" } }),
      node: node("n"),
      message: `1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/1 nodes are available: ${NOT_HELPFUL}`,
    },
    {
      name: "nodeSelector that matches",
      pod: pod({ nodeSelector: { disk: "ssd" } }),
      node: node("n", { labels: { disk: "ssd" } }),
    },
    {
      name: "affinity terms are alternatives",
      pod: pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: "a", operator: "Exists" }] },
                { matchExpressions: [{ key: "cores", operator: "Gt", values: ["4"] }] },
              ],
            },
          },
        },
      }),
      node: node("n", { labels: { cores: "8" } }),
    },
    {
      name: "an empty term matches nothing",
      pod: pod({
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } } },
      }),
      node: node("n"),
      message: `1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/1 nodes are available: ${NOT_HELPFUL}`,
    },
    {
      name: "affinity to a name",
      pod: pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }],
            },
          },
        },
      }),
      node: node("n"),
    },
    {
      name: "affinity to a name that is not there",
      pod: pod(affineToNames(["m"])),
      node: node("n"),
      message: `1 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, preemption: 0/1 nodes are available: ${NOT_HELPFUL}`,
    },
    {
      name: "affinity to names that exclude each other",
      pod: pod(affineToNames(["m"], ["n"])),
      node: node("n"),
      message: "pod affinity terms conflict. not found",
    },
    {
      name: "host port taken",
      pod: pod(hostPort()),
      node: node("n"),
      on: [pod({ nodeName: "n", ...hostPort("10.0.0.1") })],
      message: `1 node(s) didn't have free ports for the requested pod ports. no new claims to deallocate, preemption: 0/1 nodes are available: ${NO_VICTIMS}`,
    },
    {
      name: "host port on another address",
      pod: pod(hostPort("10.0.0.2")),
      node: node("n"),
      on: [pod({ nodeName: "n", ...hostPort("10.0.0.1") })],
    },
    {
      name: "not enough left",
      pod: pod({}, { cpu: "3" }),
      node: node("n"),
      on: [pod({ nodeName: "n" }, { cpu: "2" })],
      message: `1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: ${NO_VICTIMS}`,
    },
    {
      name: "never enough, several reasons sorted",
      pod: pod({}, { cpu: "5", memory: "9Gi", "ephemeral-storage": "11Gi", "example.com/card": "1" }),
      node: node("n"),
      message: `1 Insufficient cpu, 1 Insufficient ephemeral-storage, 1 Insufficient example.com/card, 1 Insufficient memory. no new claims to deallocate, preemption: 0/1 nodes are available: ${NOT_HELPFUL}`,
    },
    {
      name: "too many pods",
      pod: pod(),
      node: node("n", { pods: "1" }),
      on: [pod({ nodeName: "n" })],
      message: `1 Too many pods. no new claims to deallocate, preemption: 0/1 nodes are available: ${NO_VICTIMS}`,
    },
    {
      name: "preemptionPolicy Never",
      pod: pod({ preemptionPolicy: "Never" }, { cpu: "5" }),
      node: node("n"),
      message:
        "1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
    },
    {
      name: "spec.nodeName of another node",
      pod: pod({ nodeName: "other" }),
      node: node("n"),
      message: `1 node(s) didn't match the requested node name. no new claims to deallocate, preemption: 0/1 nodes are available: ${NOT_HELPFUL}`,
    },
  ])("$name", ({ pod: p, node: n, on, message }) => {
    const decision = decide(p, infos([n], on));
    if (message) expect(decision).toMatchObject({ fits: false, message: `0/1 nodes are available: ${message}` });
    else expect(decision.fits).toBe(true);
  });

  it("counts reasons over nodes", () => {
    const taint = { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } };
    const nodes = infos([
      node("a", { cpu: "1" }),
      node("b", { cpu: "1" }),
      node("c", taint),
      node("d", { spec: { unschedulable: true } }),
    ]);
    expect(decide(pod({}, { cpu: "2" }), nodes)).toMatchObject({
      message:
        "0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
    });
  });

  it("says so when there is no node at all", () =>
    expect(decide(pod(), [])).toMatchObject({ message: "no nodes available to schedule pods" }));
});

describe("scores (SCH-04, SCH-06, SCH-08)", () => {
  it.each<{ name: string; pod: Pod; nodes: Node[]; on?: Pod[]; want: string }>([
    {
      name: "the emptier node",
      pod: pod(),
      nodes: [node("a"), node("b")],
      on: [pod({ nodeName: "a" }, { cpu: "2", memory: "4Gi" })],
      want: "b",
    },
    {
      name: "a pod without requests counts as small",
      pod: pod(),
      nodes: [node("a"), node("b")],
      on: [...Array(5)].map(() => pod({ nodeName: "a" })),
      want: "b",
    },
    {
      name: "the node that has the image",
      pod: pod(),
      nodes: [node("a"), node("b", { images: ["app:1"] })],
      want: "b",
    },
    {
      name: "without a PreferNoSchedule taint",
      pod: pod(),
      nodes: [node("a", { spec: { taints: [{ key: "k", effect: "PreferNoSchedule" }] } }), node("b")],
      want: "b",
    },
    {
      name: "preferred affinity",
      pod: pod({
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 50, preference: { matchExpressions: [{ key: "z", operator: "In", values: ["1"] }] } },
            ],
          },
        },
      }),
      nodes: [node("a"), node("b", { labels: { z: "1" } })],
      want: "b",
    },
    {
      name: "a toleration does not attract (SCH-09)",
      pod: pod({ tolerations: [{ key: "k", operator: "Exists" }] }),
      nodes: [node("a"), node("b", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } })],
      want: "a",
    },
  ])("$name", ({ pod: p, nodes, on, want }) => {
    const decision = decide(p, infos(nodes, on));
    expect(decision.fits && decision.node.name).toBe(want);
  });

  it("breaks ties by chance", () => {
    const nodes = infos([node("a"), node("b")]);
    const names = [0, 0.99].map((r) => {
      const decision = decide(pod(), nodes, { random: () => r });
      return decision.fits && decision.node.name;
    });
    expect(names).toEqual(["a", "b"]);
  });

  it.each(SCORES)("$name stays within 0..100", (plugin) => {
    const nodes = infos([
      node("a", { images: ["app:1"] }),
      node("b", { spec: { taints: [{ key: "k", effect: "PreferNoSchedule" }] } }),
    ]);
    const info = podInfoOf(pod({}, { cpu: "1" }));
    const prepared = "score" in plugin ? plugin : plugin.prepare(info, nodes, clusterOf(nodes));
    const scores = nodes.map((n) =>
      "score" in plugin ? plugin.score(info, n) : (plugin.prepare(info, nodes, clusterOf(nodes))?.score(n) ?? 0),
    );
    prepared?.normalize?.(scores);
    for (const score of scores) expect(score).toSatisfy((s: number) => s >= 0 && s <= 100 && Number.isInteger(s));
  });
});

describe("sampling (SCH-05)", () => {
  it.each([
    [50, 50],
    [100, 100],
    [1000, 420],
    [5000, 500],
    [10_000, 500],
  ])("%i nodes: %i", (nodes, want) => expect(numFeasibleNodesToFind(nodes)).toBe(want));

  it("goes on where the last cycle stopped", () => {
    const nodes = infos(Array.from({ length: 150 }, (_, i) => node(`n${i}`)));
    const decision = decide(pod(), nodes, { start: 100 });
    expect(decision).toMatchObject({ visited: 100, fits: true });
    expect(decision.fits && decision.node.name).toBe("n100");
  });
});

describe("requests of a pod (SCH-16)", () => {
  const container = (cpu: string, memory?: string, restartPolicy?: string) => ({
    name: "c",
    image: "i",
    restartPolicy,
    resources: { requests: { cpu, ...(memory ? { memory } : {}) } },
  });
  it.each<{ name: string; spec: Partial<PodSpec>; cpuMilli: number }>([
    { name: "containers add up", spec: { containers: [container("100m"), container("200m")] }, cpuMilli: 300 },
    {
      name: "the heaviest init step",
      spec: { containers: [container("100m")], initContainers: [container("500m"), container("400m")] },
      cpuMilli: 500,
    },
    {
      name: "sidecars run with the main ones",
      spec: { containers: [container("100m")], initContainers: [container("50m", undefined, "Always")] },
      cpuMilli: 150,
    },
    {
      name: "an init step counts the sidecars before it",
      spec: {
        containers: [container("100m")],
        initContainers: [
          container("50m", undefined, "Always"),
          container("200m"),
          container("10m", undefined, "Always"),
        ],
      },
      cpuMilli: 250,
    },
    {
      name: "pod-level requests replace the sum",
      spec: { containers: [container("100m")], resources: { requests: { cpu: "1" } } },
      cpuMilli: 1000,
    },
    {
      name: "overhead comes on top",
      spec: { containers: [container("100m")], overhead: { cpu: "25m" } },
      cpuMilli: 125,
    },
  ])("$name", ({ spec, cpuMilli }) => expect(podAmounts(pod(spec)).requests.cpuMilli).toBe(cpuMilli));

  it("gives containers without requests 100m and 200Mi, in scores only (SCH-08)", () =>
    expect(podAmounts(pod())).toMatchObject({
      requests: { cpuMilli: 0, memoryBytes: 0 },
      nonZeroRequests: { cpuMilli: 100, memoryBytes: 200 * 1024 ** 2 },
    }));
});

describe("ClusterState", () => {
  it("counts pods once, wherever they come from", () => {
    const state = new ClusterState();
    const placed = pod({ nodeName: "n" }, { cpu: "1" });
    state.setPod(placed); // before its node is known
    state.setNode(node("n"));
    state.assume(podInfoOf(pod({}, { cpu: "500m" })), "n");
    state.setPod(placed);
    state.setNode(node("n", { labels: { changed: "yes" } }));
    expect(state.nodes[0]).toMatchObject({ podCount: 2, requested: { cpuMilli: 1500 } });
    state.removePod(placed.metadata.uid!);
    expect(state.nodes[0]).toMatchObject({ podCount: 1, requested: { cpuMilli: 500 } });
  });

  it("gives back what an ended pod held", () => {
    const state = new ClusterState();
    const placed = pod({ nodeName: "n" }, { cpu: "1" });
    state.setNode(node("n"));
    state.setPod(placed);
    state.setPod({ ...placed, status: { phase: "Succeeded" } });
    expect(state.nodes[0]).toMatchObject({ podCount: 0, requested: { cpuMilli: 0 } });
  });

  it.each<[string, Node, string[]]>([
    ["images", node("n", { images: ["x:1"] }), []],
    [
      "labels",
      node("n", { labels: { a: "b" } }),
      ["NodeAffinity", "DynamicResources", "VolumeBinding", "VolumeZone", "InterPodAffinity", "PodTopologySpread"],
    ],
    ["more room", node("n", { cpu: "8" }), ["NodeResourcesFit", "DynamicResources"]],
    ["cordon", node("n", { spec: { unschedulable: true } }), ["NodeUnschedulable"]],
    [
      "taints",
      node("n", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }),
      ["TaintToleration", "PodTopologySpread"],
    ],
  ])("a node's change of %s wakes pods rejected by %j", (_what, after, want) =>
    expect([...wokenByNodeChange(node("n"), after)]).toEqual(want),
  );
});
