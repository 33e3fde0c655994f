import { describe, expect, it } from "vitest";
import type { Node } from "../../../shared/api/types.ts";
import { decideEvictionRate, zoneOf } from "./zones.ts";

const nodes = (zone: string, ready: number, lost: number, labels: Record<string, string> = {}): Node[] =>
  Array.from({ length: ready + lost }, (_, i) => ({
    metadata: { name: `${zone}-${i}`, labels: { "topology.kubernetes.io/zone": zone, ...labels } },
    spec: {},
    status: { conditions: [{ type: "Ready", status: i < ready ? "True" : "Unknown" }] },
  }));
const zoneA = zoneOf(nodes("a", 1, 0)[0] as Node);

describe("decideEvictionRate", () => {
  it.each<{ name: string; nodes: Node[]; want: number | "none at all" }>([
    { name: "a node is lost", nodes: nodes("a", 9, 1), want: 0.1 },
    { name: "two of three are lost", nodes: nodes("a", 1, 2), want: 0.1 },
    { name: "three of five are lost", nodes: nodes("a", 2, 3), want: 0 },
    { name: "three of six are lost", nodes: nodes("a", 3, 3), want: 0.1 },
    { name: "most of 50 are lost", nodes: nodes("a", 10, 40), want: 0 },
    { name: "most of 51 are lost", nodes: nodes("a", 10, 41), want: 0.01 },
    { name: "one of many zones is lost", nodes: [...nodes("a", 0, 10), ...nodes("b", 1, 9)], want: 0.1 },
    { name: "all zones are lost", nodes: [...nodes("a", 0, 10), ...nodes("b", 0, 1)], want: "none at all" },
    { name: "others are lost", nodes: [...nodes("a", 9, 1), ...nodes("b", 1, 9)], want: 0.1 },
    {
      name: "nodes that do not count are lost",
      nodes: [...nodes("a", 2, 1), ...nodes("a", 0, 9, { "node.kubernetes.io/exclude-disruption": "" })],
      want: 0.1,
    },
  ])("$name: $want", ({ nodes, want }) => expect(decideEvictionRate(zoneA, nodes)).toBe(want));
});

describe("zoneOf", () => {
  const of = (labels: Record<string, string>) => zoneOf({ metadata: { name: "n", labels }, spec: {} });
  it("is none without labels", () => expect(of({})).toBe(""));
  it("tells zones of one name in two regions apart", () =>
    expect(of({ "topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "x" })).not.toBe(
      of({ "topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "y" }),
    ));
  it("goes by the older label first", () =>
    expect(of({ "topology.kubernetes.io/zone": "a", "failure-domain.beta.kubernetes.io/zone": "b" })).toBe(
      of({ "topology.kubernetes.io/zone": "b" }),
    ));
});
