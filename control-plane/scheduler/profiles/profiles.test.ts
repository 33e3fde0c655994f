import { describe, expect, it } from "vitest";
import type { Pod } from "../../../shared/api/types.ts";
import { clusterOf, decideOn, nodeInfos, schedulingNode, schedulingPod } from "../../../test/builders/scheduling.ts";
import { podInfoOf } from "../framework/node-info.ts";
import { parseSchedulerConfiguration } from "./configuration.ts";
import { type Profile, profilesOf } from "./profile.ts";

const HEADER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
const read = (text: string) => parseSchedulerConfiguration({ data: { "config.yaml": HEADER + text } });
const profile = (fields: string): Profile => profilesOf(read(`profiles: [{ ${fields} }]`)).get("default-scheduler")!;
const args = (plugin: string, fields: string) => profile(`pluginConfig: [{ name: ${plugin}, args: { ${fields} } }]`);

describe("what is taken of a configuration", () => {
  it("nothing: all as by default", () => {
    const byDefault = parseSchedulerConfiguration(undefined);
    expect(read("")).toEqual(byDefault);
    expect(byDefault).toMatchObject({
      podInitialBackoffSeconds: 1,
      podMaxBackoffSeconds: 10,
      percentageOfNodesToScore: 0,
    });
    expect([...profilesOf(byDefault).keys()]).toEqual(["default-scheduler"]);
  });

  it("several profiles, each with its own", () => {
    const profiles = profilesOf(
      read("percentageOfNodesToScore: 20\nprofiles: [{}, { schedulerName: packing, percentageOfNodesToScore: 70 }]"),
    );
    expect([...profiles.values()].map((one) => [one.schedulerName, one.percentageOfNodesToScore])).toEqual([
      ["default-scheduler", 20],
      ["packing", 70],
    ]);
  });

  it.each([
    { text: "profiles: []", want: "Too small" },
    { text: "profiles: [{}, {}]", want: "two profiles have one schedulerName" },
    { text: "percentageOfNodesToScore: 101", want: "percentageOfNodesToScore" },
    { text: "podInitialBackoffSeconds: 20", want: "podMaxBackoffSeconds must be greater than or equal" },
    { text: "extenders: [{ urlPrefix: http://x }]", want: "extenders are not supported" },
    { text: "profiles: [{ plugins: { filter: { disabled: [{ name: Nothing }] } } }]", want: "no such plugin" },
    { text: "profiles: [{ plugins: { permit: { enabled: [] } } }]", want: 'Unrecognized key: "permit"' },
    {
      text: "profiles: [{ pluginConfig: [{ name: VolumeBinding, args: {} }] }]",
      want: "args of VolumeBinding are not supported",
    },
    {
      text: "profiles: [{ pluginConfig: [{ name: PodTopologySpread, args: { defaultConstraints: [{ maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway }] } }] }]",
      want: "defaultingType must be List",
    },
    {
      text: "profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { scoringStrategy: { type: RequestedToCapacityRatio, requestedToCapacityRatio: { shape: [{ utilization: 50, score: 1 }, { utilization: 50, score: 2 }] } } } }] }]",
      want: "values must be sorted in increasing order",
    },
    {
      text: "profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { scoringStrategy: { type: Best } } }] }]",
      want: "scoringStrategy",
    },
    { text: "a: [", want: "Flow sequence" },
  ])("refuses $text", ({ text, want }) => expect(() => read(text)).toThrow(want));

  it("refuses a ConfigMap without a configuration, and another version", () => {
    expect(() => parseSchedulerConfiguration({ data: {} })).toThrow("the ConfigMap has no config.yaml");
    const old = { "config.yaml": "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration" };
    expect(() => parseSchedulerConfiguration({ data: old })).toThrow("apiVersion");
  });
});

describe("plugins of a profile", () => {
  const names = (plugins: readonly { name: string }[]) => plugins.map(({ name }) => name);
  it.each<{ plugins: string; of(profile: Profile): unknown; want: unknown }>([
    { plugins: "", of: ({ preempts }) => preempts, want: true },
    { plugins: "postFilter: { disabled: [{ name: DefaultPreemption }] }", of: ({ preempts }) => preempts, want: false },
    {
      plugins: "filter: { disabled: [{ name: '*' }], enabled: [{ name: NodePorts }, { name: NodeName }] }",
      of: ({ filters }) => names(filters),
      want: ["NodePorts", "NodeName"],
    },
    {
      plugins: "multiPoint: { disabled: [{ name: ImageLocality }] }",
      of: ({ scores }) => names(scores).includes("ImageLocality"),
      want: false,
    },
    {
      plugins: "score: { disabled: [{ name: '*' }], enabled: [{ name: ImageLocality, weight: 5 }] }",
      of: ({ scores }) => scores.map(({ name, weight }) => [name, weight]),
      want: [["ImageLocality", 5]],
    },
    {
      plugins:
        "multiPoint: { disabled: [{ name: '*' }], enabled: [{ name: TaintToleration }, { name: NodeAffinity, weight: 7 }] }",
      of: ({ filters, scores }) => [names(filters), scores.map(({ name, weight }) => [name, weight])],
      want: [
        ["TaintToleration", "NodeAffinity"],
        [
          ["TaintToleration", 1],
          ["NodeAffinity", 7],
        ],
      ],
    },
  ])("$plugins", ({ plugins, of, want }) => expect(of(profile(`plugins: { ${plugins} }`))).toEqual(want));

  it("without preemption nobody is evicted, and nothing is said of it", () => {
    const [node] = nodeInfos([schedulingNode("a")], [schedulingPod({ nodeName: "a", priority: 0 }, { cpu: "4" })]);
    const { filters, scores, preempts } = profile(
      "plugins: { postFilter: { disabled: [{ name: DefaultPreemption }] } }",
    );
    const pod = schedulingPod({ priority: 10 }, { cpu: "4" });
    const cluster = clusterOf([node!]);
    expect(decideOn(pod, [node!], { cluster, filters, scores, preempts })).toMatchObject({
      message: "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate",
    });
    expect(decideOn(pod, [node!], { cluster })).toMatchObject({
      message: "0/1 nodes are available: 1 Insufficient cpu.",
    });
  });
});

describe("scores by NodeResourcesFit's strategy", () => {
  // 4 cores and 8 GiB: with the pod 2 cores (50 %) and 6 GiB (75 %) are in use.
  const gpu = { "example.com/gpu": "4" };
  const node = schedulingNode("a");
  node.status = { ...node.status, allocatable: { ...node.status?.allocatable, ...gpu } };
  const [info] = nodeInfos(
    [node],
    [schedulingPod({ nodeName: "a" }, { cpu: "1", memory: "4Gi", "example.com/gpu": "1" })],
  );
  const pod = podInfoOf(schedulingPod({}, { cpu: "1", memory: "2Gi" }));
  const withGpu = podInfoOf(schedulingPod({}, { cpu: "1", memory: "2Gi", "example.com/gpu": "2" }));
  const score = (strategy: string, of = pod) => {
    const fit = args("NodeResourcesFit", `scoringStrategy: { ${strategy} }`).scores.find(
      ({ name }) => name === "NodeResourcesFit",
    )!;
    return "score" in fit ? fit.score(of, info!) : Number.NaN;
  };
  const GPU_HEAVY = "resources: [{ name: cpu }, { name: example.com/gpu, weight: 3 }]";
  const SHAPE = "requestedToCapacityRatio: { shape: [{ utilization: 0, score: 0 }, { utilization: 100, score: 10 }] }";
  const STEEP = "requestedToCapacityRatio: { shape: [{ utilization: 60, score: 0 }, { utilization: 80, score: 10 }] }";
  it.each([
    { strategy: "type: LeastAllocated", want: 37 }, // (50 + 25) / 2
    { strategy: "type: MostAllocated", want: 62 }, // (50 + 75) / 2
    { strategy: "type: MostAllocated, resources: [{ name: cpu, weight: 3 }, { name: memory, weight: 1 }]", want: 56 },
    { strategy: `type: MostAllocated, ${GPU_HEAVY}`, want: 50 }, // who asks for none is not scored for it
    { strategy: `type: MostAllocated, ${GPU_HEAVY}`, of: withGpu, want: 68 }, // (50 + 3 × 75) / 4
    { strategy: `type: LeastAllocated, ${GPU_HEAVY}`, of: withGpu, want: 31 }, // (50 + 3 × 25) / 4
    { strategy: `type: RequestedToCapacityRatio, ${SHAPE}`, want: 63 }, // (50 + 75) / 2, rounded
    { strategy: `type: RequestedToCapacityRatio, ${STEEP}`, want: 75 }, // cpu scores 0, and has no say
    { strategy: "type: MostAllocated, resources: [{ name: ephemeral-storage }]", want: 0 },
  ])("$strategy: $want", ({ strategy, of, want }) => expect(score(strategy, of)).toBe(want));

  it("MostAllocated fills a node before it takes the next", () => {
    const nodes = nodeInfos(
      [schedulingNode("a"), schedulingNode("b")],
      [schedulingPod({ nodeName: "b" }, { cpu: "1" })],
    );
    const { scores } = args("NodeResourcesFit", "scoringStrategy: { type: MostAllocated }");
    const small = schedulingPod({}, { cpu: "1", memory: "1Gi" });
    expect(decideOn(small, nodes, { scores })).toMatchObject({ node: { name: "b" } });
    expect(decideOn(small, nodes)).toMatchObject({ node: { name: "a" } });
  });

  it.each([
    { fields: "", fits: false },
    { fields: "ignoredResources: [example.com/gpu]", fits: true },
    { fields: "ignoredResourceGroups: [example.com]", fits: true },
    { fields: "ignoredResources: [example.com/other]", fits: false },
  ])("ignored resources: { $fields }", ({ fields, fits }) => {
    const { filters } = args("NodeResourcesFit", fields);
    const greedy = schedulingPod({}, { "example.com/gpu": "100" });
    expect(decideOn(greedy, nodeInfos([node]), { filters }).fits).toBe(fits);
  });
});

describe("other arguments", () => {
  const app = (name: string, spec: Partial<Pod["spec"]> = {}) =>
    schedulingPod(spec, undefined, { labels: { app: name } });
  const zone = (name: string) => ({ labels: { "topology.kubernetes.io/zone": name } });

  it("default constraints hold for replicas that have none of their own", () => {
    const nodes = nodeInfos(
      [schedulingNode("a", zone("1")), schedulingNode("b", zone("2"))],
      [app("web", { nodeName: "a" })],
    );
    const { filters } = args(
      "PodTopologySpread",
      "defaultingType: List, defaultConstraints: [{ maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule }]",
    );
    const cluster = clusterOf(nodes, { replicaSelectors: () => [{ matchLabels: { app: "web" } }] });
    expect(decideOn(app("web", { nodeSelector: {} }), nodes, { cluster, filters, scores: [] })).toMatchObject({
      node: { name: "b" },
    });
    const alone = clusterOf(nodes);
    expect(decideOn(app("web"), nodes, { cluster: alone, filters, scores: [] })).toMatchObject({ node: { name: "a" } });
  });

  it("hardPodAffinityWeight: what those there need draws those that come", () => {
    const podAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: "host", labelSelector: { matchLabels: { app: "db" } } },
      ],
    };
    const nodes = nodeInfos(
      [schedulingNode("a", { labels: { host: "a" } }), schedulingNode("b", { labels: { host: "b" } })],
      [app("web", { nodeName: "b", affinity: { podAffinity } })],
    );
    const only = (weight: number) =>
      args("InterPodAffinity", `hardPodAffinityWeight: ${weight}`).scores.filter(
        ({ name }) => name === "InterPodAffinity",
      );
    expect(decideOn(app("db"), nodes, { scores: only(10) })).toMatchObject({ node: { name: "b" } });
    expect(decideOn(app("db"), nodes, { scores: only(0) })).toMatchObject({ node: { name: "a" } });
  });

  it("balance is kept over the resources that are named", () => {
    const withGpus = (name: string, gpus: string) => {
      const node = schedulingNode(name);
      node.status = { ...node.status, allocatable: { ...node.status?.allocatable, "example.com/gpu": gpus } };
      return node;
    };
    const nodes = nodeInfos([withGpus("many", "100"), withGpus("few", "4")]);
    const scores = args(
      "NodeResourcesBalancedAllocation",
      "resources: [{ name: cpu }, { name: example.com/gpu }]",
    ).scores.filter(({ name }) => name === "NodeResourcesBalancedAllocation");
    // Half of the cores go with half of the cards.
    expect(decideOn(schedulingPod({}, { cpu: "2", "example.com/gpu": "2" }), nodes, { scores })).toMatchObject({
      node: { name: "few" },
    });
  });
});
