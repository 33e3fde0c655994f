import { expect } from "vitest";
import { NODES, PODS } from "../../../shared/api/refs.ts";
import type { Node, Pod } from "../../../shared/api/types.ts";
import { node, pod } from "../../builders/objects.ts";
import type { SimApi } from "../sim-api.ts";
import { change, createAll, remove, type Story } from "./story.ts";

const LOST_AT_MS = Date.parse("2026-10-21T08:03:00Z");
const placesOf = (api: SimApi) =>
  api
    .all<Pod>(PODS)
    .map(({ spec }) => spec.nodeName)
    .sort();

const tolerant = (name: string, tolerationSeconds: number) =>
  pod(name)
    .onNode("b")
    .with({
      spec: {
        tolerations: [
          { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds },
        ],
      },
    })
    .build();

export const NODE_STORIES: Story[] = [
  {
    name: "two nodes that join, and one that is lost with its pods",
    of: ["node-lifecycle", "taint-eviction", "node-ipam", "node-ttl"],
    beside: ["pod-gc"],
    renewedMs: (name) => (name === "a" ? Date.now() : Math.min(Date.now(), LOST_AT_MS)),
    acts: [
      createAll(
        [NODES, node("a").ready("2026-10-21T08:00:00Z").build()],
        [NODES, node("b").ready("2026-10-21T08:00:00Z").build()],
        [PODS, tolerant("short", 30)],
        [PODS, tolerant("long", 200)],
        [PODS, pod("stays").onNode("a").build()],
      ),
      change(NODES, "a", { metadata: { labels: { seen: "yes" } } }),
    ],
    restMs: 600_000,
    end(api) {
      expect(placesOf(api)).toEqual(["a"]);
      expect(api.find<Node>(NODES, "b")?.spec?.taints?.map(({ key }) => key)).toContain(
        "node.kubernetes.io/unreachable",
      );
    },
    writes: 12,
  },
  {
    name: "a node that is deleted under its pods",
    of: ["pod-gc"],
    beside: ["node-lifecycle"],
    acts: [
      createAll(
        [NODES, node("a").ready().build()],
        [NODES, node("b").ready().build()],
        [PODS, pod("p1").onNode("b").build()],
        [PODS, pod("p2").onNode("b").build()],
        [PODS, pod("p3").onNode("a").build()],
      ),
      remove(NODES, "b"),
    ],
    renewedMs: () => Date.now(),
    end: (api) => expect(placesOf(api)).toEqual(["a"]),
    writes: 4,
  },
  {
    name: "pods that are placed, wait for room, and preempt",
    of: ["default-scheduler"],
    acts: [
      createAll(
        [NODES, node("a").ready().capacity({ cpu: "2", memory: "8Gi", pods: "10" }).build()],
        [NODES, node("b").ready().capacity({ cpu: "2", memory: "8Gi", pods: "10" }).build()],
        [PODS, asking("p1", { cpu: "1100m", priority: 0, on: "a" })],
        [PODS, asking("p2", { cpu: "1100m", priority: 10, on: "b" })],
        [PODS, asking("p3", { cpu: "1100m", priority: 0 })],
      ),
      createAll([PODS, asking("important", { cpu: "1500m", priority: 100 })]),
      createAll([NODES, node("c").ready().capacity({ cpu: "1200m", memory: "8Gi", pods: "10" }).build()]),
    ],
    restMs: 700_000,
    end(api) {
      expect(
        api
          .all<Pod>(PODS)
          .map(({ metadata, spec }) => `${metadata.name} ${spec.nodeName}`)
          .sort(),
      ).toEqual(["important a", "p2 b", "p3 c"]);
    },
    writes: 5,
  },
];

function asking(name: string, { cpu, priority, on }: { cpu: string; priority: number; on?: string }): Pod {
  const built = pod(name).build();
  built.spec.priority = priority;
  built.spec.schedulerName = "default-scheduler";
  built.spec.containers[0]!.resources = { requests: { cpu } };
  if (on !== undefined) built.spec.nodeSelector = { "kubernetes.io/hostname": on };
  return built;
}
