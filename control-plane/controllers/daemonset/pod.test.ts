import { describe, expect, it } from "vitest";
import type { PodSpec } from "../../../shared/api/types.ts";
import { daemonSet, node, pod } from "../../../test/builders/objects.ts";
import { decidePlacement } from "./placement.ts";
import { daemonSpec, isUpdated, newDaemonPod, targetNode } from "./pod.ts";

const set = (spec: Partial<PodSpec> = {}) =>
  daemonSet("d")
    .with({ spec: { template: { spec } } })
    .build();
const GENERATION = "deprecated.daemonset.template.generation";

describe("a daemon pod", () => {
  it("is pinned to its node by name, in place of the required affinity alone", () => {
    const preferred = [{ weight: 1, preference: { matchExpressions: [{ key: "x", operator: "Exists" }] } }];
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: "y", operator: "Exists" }] }] };
    const affinity = {
      podAffinity: {},
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
        requiredDuringSchedulingIgnoredDuringExecution: required,
      },
    };
    const made = newDaemonPod(
      daemonSet("d")
        .annotated({ [GENERATION]: "3" })
        .with({ spec: { template: { spec: { affinity } } } })
        .build(),
      "n1",
      "hash",
    );
    expect(made.spec.affinity).toEqual({
      podAffinity: {},
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }],
        },
      },
    });
    expect(made.metadata).toMatchObject({
      generateName: "d-",
      labels: { app: "d", "controller-revision-hash": "hash", "pod-template-generation": "3" },
    });
    expect(targetNode(made)).toBe("n1");
  });

  it.each([
    { name: "for none", spec: { containers: [] }, want: undefined },
    { name: "where it is bound", spec: { containers: [], nodeName: "n2" }, want: "n2" },
  ])("is found $name", ({ spec, want }) => expect(targetNode({ ...pod("p").build(), spec })).toBe(want));

  it("stands trouble with its node; its own tolerations for the same are replaced", () => {
    const own = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 };
    const tolerations = daemonSpec(set({ tolerations: [{ key: "mine", operator: "Exists" }, own] })).tolerations ?? [];
    expect(tolerations.map(({ key }) => key)).toEqual([
      "mine",
      "node.kubernetes.io/not-ready",
      "node.kubernetes.io/unreachable",
      "node.kubernetes.io/disk-pressure",
      "node.kubernetes.io/memory-pressure",
      "node.kubernetes.io/pid-pressure",
      "node.kubernetes.io/unschedulable",
    ]);
    expect(tolerations[1]).not.toHaveProperty("tolerationSeconds");
    const onHost = daemonSpec(set({ hostNetwork: true })).tolerations ?? [];
    expect(onHost.at(-1)?.key).toBe("node.kubernetes.io/network-unavailable");
  });

  it.each<{ name: string; labels: Record<string, string>; want: boolean }>([
    { name: "by its hash", labels: { "controller-revision-hash": "h" }, want: true },
    { name: "by the count of changes", labels: { "pod-template-generation": "3" }, want: true },
    { name: "by neither", labels: { "controller-revision-hash": "g", "pod-template-generation": "2" }, want: false },
  ])("is of the present template $name", ({ labels, want }) => {
    const of = daemonSet("d")
      .annotated({ [GENERATION]: "3" })
      .build();
    expect(isUpdated(of, pod("p").labelled(labels).build(), "h")).toBe(want);
  });
});

describe("decidePlacement", () => {
  const yes = { shouldRun: true, mayStay: true };
  const stays = { shouldRun: false, mayStay: true };
  const no = { shouldRun: false, mayStay: false };
  const expressions = [{ key: "zone", operator: "In", values: ["z"] }];
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: expressions }] },
    },
  };
  it.each([
    { name: "any node", spec: {}, node: node("a"), want: yes },
    { name: "the named node", spec: { nodeName: "a" }, node: node("a"), want: yes },
    { name: "another than the named node", spec: { nodeName: "b" }, node: node("a"), want: no },
    { name: "a node without the label", spec: { nodeSelector: { zone: "z" } }, node: node("a"), want: no },
    {
      name: "a node with the label",
      spec: { nodeSelector: { zone: "z" } },
      node: node("a").labelled({ zone: "z" }),
      want: yes,
    },
    { name: "a node that the affinity rules out", spec: { affinity }, node: node("a"), want: no },
    {
      name: "a node that the affinity asks for",
      spec: { affinity },
      node: node("a").labelled({ zone: "z" }),
      want: yes,
    },
    { name: "a tainted node", spec: {}, node: node("a").tainted("t", "NoSchedule"), want: stays },
    { name: "a node that drives pods away", spec: {}, node: node("a").tainted("t", "NoExecute"), want: no },
    { name: "a node best avoided", spec: {}, node: node("a").tainted("t", "PreferNoSchedule"), want: yes },
    {
      name: "a node that is not ready",
      spec: {},
      node: node("a").tainted("node.kubernetes.io/not-ready", "NoExecute"),
      want: yes,
    },
    {
      name: "a cordoned node",
      spec: {},
      node: node("a").tainted("node.kubernetes.io/unschedulable", "NoSchedule"),
      want: yes,
    },
    {
      name: "a tainted node that is tolerated",
      spec: { tolerations: [{ operator: "Exists" }] },
      node: node("a").tainted("t", "NoExecute"),
      want: yes,
    },
  ])("$name", ({ spec, node: on, want }) => expect(decidePlacement(set(spec), on.build())).toEqual(want));
});
