import { describe, expect, it } from "vitest";
import type { Pod, PodDisruptionBudget, PodStatus } from "../../../shared/api/types.ts";
import { decideOn, schedulingNode as node, nodeInfos, schedulingPod } from "../../../test/builders/scheduling.ts";
import { podInfoOf } from "../framework/node-info.ts";

const pod = (name: string, priority: number, cpu: string, nodeName: string, status?: PodStatus) =>
  schedulingPod({ priority, nodeName }, { cpu }, { name, labels: { name }, status });
const urgent = (cpu = "4", more: Partial<Pod["spec"]> = {}, status?: PodStatus) =>
  schedulingPod({ priority: 1000, ...more }, { cpu }, { name: "urgent", status });
const startedAt = (time: string) => ({ startTime: `2026-01-01T${time}Z` }) as unknown as PodStatus;
const budget = (name: string, disruptionsAllowed: number, disrupted: string[] = []): PodDisruptionBudget =>
  ({
    metadata: { name, namespace: "default" },
    spec: { selector: { matchLabels: { name } } },
    status: { disruptionsAllowed, disruptedPods: Object.fromEntries(disrupted.map((pod) => [pod, ""])) },
  }) as unknown as PodDisruptionBudget;

function decide(p: Pod, on: Pod[], options: Parameters<typeof decideOn>[2] = {}, names = ["a", "b"]) {
  const decision = decideOn(
    p,
    nodeInfos(
      names.map((name) => node(name)),
      on,
    ),
    options,
  );
  if (decision.fits) throw new Error("it fits without preemption");
  const { chosen } = decision.preemption;
  return {
    ...decision,
    on: chosen?.node.name,
    victims: chosen?.pods.map((info) => info.pod.metadata.name),
  };
}

describe("whom to evict", () => {
  it.each<{
    name: string;
    cpu?: string;
    on: Pod[];
    budgets?: PodDisruptionBudget[];
    want: { on: string; victims: string[] };
  }>([
    {
      name: "only as many as must go, of the lowest priority",
      cpu: "1",
      on: [pod("low", 1, "2", "a"), pod("high", 2, "2", "a"), pod("top", 2000, "4", "b")],
      want: { on: "a", victims: ["low"] },
    },
    {
      name: "of equals those that run for less long",
      cpu: "1",
      on: [
        pod("young", 1, "2", "a", startedAt("00:20:00")),
        pod("old", 1, "2", "a", startedAt("00:10:00")),
        pod("top", 2000, "4", "b"),
      ],
      want: { on: "a", victims: ["young"] },
    },
    {
      name: "of those that were not started the one that came first",
      cpu: "1",
      on: [pod("first", 1, "2", "a"), pod("second", 1, "2", "a"), pod("top", 2000, "4", "b")],
      want: { on: "a", victims: ["first"] },
    },
    {
      name: "not a pod that a budget keeps, if another will do",
      cpu: "1",
      on: [pod("kept", 1, "2", "a"), pod("other", 2, "2", "a"), pod("top", 2000, "4", "b")],
      budgets: [budget("kept", 0)],
      want: { on: "a", victims: ["other"] },
    },
    {
      name: "a pod whose budget allows it",
      cpu: "1",
      on: [pod("kept", 1, "2", "a"), pod("other", 2, "2", "a"), pod("top", 2000, "4", "b")],
      budgets: [budget("kept", 1)],
      want: { on: "a", victims: ["kept"] },
    },
    {
      name: "a pod that is taken off its budget already",
      cpu: "1",
      on: [pod("kept", 1, "2", "a"), pod("other", 2, "2", "a"), pod("top", 2000, "4", "b")],
      budgets: [budget("kept", 0, ["kept"])],
      want: { on: "a", victims: ["kept"] },
    },
    {
      name: "the node where no budget is broken, whatever the priorities",
      on: [pod("kept", 1, "4", "a"), pod("other", 5, "4", "b")],
      budgets: [budget("kept", 0)],
      want: { on: "b", victims: ["other"] },
    },
    {
      name: "the node with the lowest highest priority",
      on: [pod("five", 5, "4", "a"), pod("one", 1, "2", "b"), pod("three", 3, "2", "b")],
      want: { on: "b", victims: ["three", "one"] },
    },
    {
      name: "then the least sum of priorities",
      on: [pod("a1", 3, "2", "a"), pod("a2", 2, "2", "a"), pod("b1", 3, "2", "b"), pod("b2", 1, "2", "b")],
      want: { on: "b", victims: ["b1", "b2"] },
    },
    {
      name: "one of negative priority rather than two",
      on: [pod("a1", -3, "2", "a"), pod("a2", -3, "2", "a"), pod("b1", -3, "4", "b")],
      want: { on: "b", victims: ["b1"] },
    },
    {
      name: "then the victims that were started last",
      on: [pod("old", 1, "4", "a", startedAt("00:10:00")), pod("young", 1, "4", "b", startedAt("00:20:00"))],
      want: { on: "b", victims: ["young"] },
    },
    {
      name: "then the first",
      on: [pod("x", 1, "4", "a"), pod("y", 1, "4", "b")],
      want: { on: "a", victims: ["x"] },
    },
  ])("$name", ({ cpu, on, budgets = [], want }) =>
    expect(decide(urgent(cpu), on, { budgets: () => budgets })).toMatchObject({
      ...want,
      message: "0/2 nodes are available: 2 Insufficient cpu.",
    }),
  );

  it("evicts those that keep the pod away", () => {
    const labelSelector = { matchLabels: { name: "rival" } };
    const antiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "host", labelSelector }] };
    const nodes = nodeInfos(
      [node("a", { labels: { host: "a" } })],
      [pod("rival", 1, "1", "a"), pod("other", 1, "1", "a")],
    );
    const decision = decideOn(urgent("1", { affinity: { podAntiAffinity: antiAffinity } }), nodes);
    expect(!decision.fits && decision.preemption.chosen?.pods.map((info) => info.pod.metadata.name)).toEqual(["rival"]);
  });

  it("leaves the nodes as they were", () => {
    const nodes = nodeInfos([node("a")], [pod("low", 1, "4", "a")]);
    decideOn(urgent(), nodes);
    expect(nodes[0]).toMatchObject({ podCount: 1, requested: { cpuMilli: 4000 } });
  });
});

describe("when nobody is evicted", () => {
  const tail = (text: string) =>
    `0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: ${text}`;
  it.each<{ name: string; pod?: Pod; on: Pod[]; message: string }>([
    {
      name: "all are as important",
      on: [pod("x", 1000, "4", "a"), pod("y", 1000, "4", "b")],
      message: "0/2 nodes are available: 2 No preemption victims found for incoming pod.",
    },
    {
      name: "the less important are too small",
      on: [pod("x", 1000, "3", "a"), pod("y", 1, "1", "a"), pod("z", 1000, "4", "b")],
      message: "0/2 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod.",
    },
    {
      name: "no node is large enough",
      pod: urgent("5"),
      on: [pod("x", 1, "4", "a")],
      message: "0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    },
    {
      name: "it never does",
      pod: urgent("4", { preemptionPolicy: "Never" }),
      on: [pod("x", 1, "4", "a"), pod("y", 1, "4", "b")],
      message: "not eligible due to preemptionPolicy=Never.",
    },
  ])("$name", ({ pod: p = urgent(), on, message }) =>
    expect(decide(p, on)).toMatchObject({ message: tail(message), victims: undefined }),
  );

  it("victims are leaving the node promised to it", () => {
    const victim = pod("x", 1, "4", "a");
    victim.metadata.deletionTimestamp = "2026-01-01T00:00:00Z" as unknown as Date & string;
    victim.status = {
      conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }],
    } as PodStatus;
    const waiting = urgent("4", {}, { nominatedNodeName: "a" });
    expect(decide(waiting, [victim, pod("y", 1, "4", "b")])).toMatchObject({
      victims: undefined,
      message: tail("not eligible due to a terminating pod on the nominated node."),
      preemption: { givesUpNomination: false },
    });
  });

  it("gives a promised node up that is of no use any more", () =>
    expect(decide(urgent("5", {}, { nominatedNodeName: "a" }), [])).toMatchObject({
      preemption: { givesUpNomination: true },
    }));
});

describe("pods promised to a node", () => {
  const promised = podInfoOf(schedulingPod({ priority: 500 }, { cpu: "3" }, { status: { nominatedNodeName: "a" } }));
  const options = { nominatedTo: (name: string) => (name === "a" ? [promised] : []) };
  const nodes = () => nodeInfos([node("a"), node("b", { cpu: "1" })]);

  it("keep their place from those that are less important", () =>
    expect(decideOn(schedulingPod({ priority: 1 }, { cpu: "2" }), nodes(), options)).toMatchObject({ fits: false }));

  it("do not from those that are more so", () =>
    expect(decideOn(schedulingPod({ priority: 501 }, { cpu: "2" }), nodes(), options)).toMatchObject({ fits: true }));

  it("go there themselves, even if another scores higher", () => {
    const waiting = schedulingPod({ priority: 5 }, { cpu: "1" }, { status: { nominatedNodeName: "a" } });
    const infos = nodeInfos([node("a"), node("b")], [schedulingPod({ nodeName: "a" }, { cpu: "3" })]);
    expect(decideOn(waiting, infos)).toMatchObject({ fits: true, node: { name: "a" } });
  });
});
