import { describe, expect, it } from "vitest";
import type { Endpoint, EndpointSlice, Node } from "../../../shared/api/types.ts";
import { hasTopologyMode, topologyHints } from "./topology-hints.ts";
import { TopologyNotes } from "./topology-notes.ts";
import { isSameShare, zoneShares } from "./zone-shares.ts";

const endpoints = (zones: string): Endpoint[] =>
  [...zones].map((zone, i) => ({
    addresses: [`10.1.0.${i}`],
    conditions: { ready: zone !== zone.toUpperCase() || zone === "-" },
    ...(zone === "-" ? {} : { zone: zone.toLowerCase() }),
  }));
const shares = (parts: Record<string, number>) => new Map(Object.entries(parts));
const hintsOf = (result: ReturnType<typeof topologyHints>): string =>
  "refused" in result
    ? result.refused
    : result.endpoints.map(({ hints }) => hints?.forZones?.map(({ name }) => name).join() ?? "_").join("");

describe("topologyHints", () => {
  const HALVES = { a: 0.5, b: 0.5 };
  const INFO = "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  const OVER = "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold";
  // Zones are letters, those of endpoints that are not ready capitals.
  it.each([
    { zones: "ab", parts: HALVES, want: "ab" },
    { zones: "aaab", parts: HALVES, want: "baab" },
    { zones: "aaabB", parts: HALVES, want: "baab_" },
    { zones: "aaaa", parts: HALVES, want: "bbaa" },
    { zones: "aab", parts: HALVES, want: `${OVER} (3 endpoints, 2 zones)` },
    { zones: "aaabbbbb", parts: { a: 0.25, b: 0.75 }, want: "baabbbbb" },
    { zones: "a", parts: HALVES, want: "Insufficient number of endpoints (1 endpoints, 2 zones)" },
    { zones: "ab", parts: undefined, want: INFO },
    { zones: "ab-b", parts: HALVES, want: "One or more endpoints do not have a zone specified" },
  ])("of $zones is $want", ({ zones, parts, want }) =>
    expect(hintsOf(topologyHints(endpoints(zones), parts && shares(parts)))).toBe(want),
  );
});

it("is asked for by either annotation, the older one first", () => {
  const asks = (annotations: Record<string, string>) =>
    hasTopologyMode({ metadata: { name: "s", annotations }, spec: {} });
  expect(asks({ "service.kubernetes.io/topology-mode": "Auto" })).toBe(true);
  expect(asks({ "service.kubernetes.io/topology-aware-hints": "auto" })).toBe(true);
  expect(asks({ "service.kubernetes.io/topology-mode": "Off" })).toBe(false);
  const both = { "service.kubernetes.io/topology-aware-hints": "Disabled" };
  expect(asks({ ...both, "service.kubernetes.io/topology-mode": "Auto" })).toBe(false);
});

describe("zoneShares", () => {
  const node = (zone: string | undefined, cpu: string, labels: Record<string, string> = {}, ready = "True"): Node => ({
    metadata: { name: "n", labels: { ...labels, ...(zone ? { "topology.kubernetes.io/zone": zone } : {}) } },
    spec: {},
    status: { allocatable: { cpu }, conditions: [{ type: "Ready", status: ready }] },
  });
  it.each([
    { name: "by CPU", nodes: [node("a", "1"), node("b", "2500m"), node("b", "500m")], want: { a: 0.25, b: 0.75 } },
    { name: "not of one zone", nodes: [node("a", "1"), node("a", "1")], want: undefined },
    {
      name: "not where a zone is missing",
      nodes: [node("a", "1"), node("b", "1"), node(undefined, "1")],
      want: undefined,
    },
    { name: "not where CPU is missing", nodes: [node("a", "1"), node("b", "0")], want: undefined },
    {
      name: "without the control plane and what is not ready",
      nodes: [
        node("a", "1"),
        node("b", "1"),
        node("c", "9", { "node-role.kubernetes.io/control-plane": "" }),
        node("c", "9", {}, "False"),
      ],
      want: { a: 0.5, b: 0.5 },
    },
  ])("$name", ({ nodes, want }) => expect(zoneShares(nodes)).toEqual(want && shares(want)));

  it("change with a node's zone, CPU or readiness", () => {
    const old = node("a", "1");
    expect(isSameShare(old, node("a", "1000m"))).toBe(true);
    for (const next of [node("b", "1"), node("a", "2"), node("a", "1", {}, "False")])
      expect(isSameShare(old, next)).toBe(false);
  });
});

it("tells of hints once each time they come, go or are refused", () => {
  const notes = new TopologyNotes();
  const told = (refused?: string) =>
    notes
      .eventsOf("default/s", [{ addressType: "IPv4", ...(refused ? { refused } : {}) }], [])
      .map(({ message }) => message);
  expect(told("too few")).toEqual(["too few, addressType: IPv4"]);
  expect(told("too few")).toEqual([]);
  expect(told()).toEqual(["Topology Aware Hints has been enabled, addressType: IPv4"]);
  expect(told()).toEqual([]);
  expect(notes.ended("default/s").map(({ message }) => message)).toEqual([
    "Topology Aware Hints has been disabled, addressType: IPv4",
  ]);
  expect(notes.ended("default/s")).toEqual([]);
  const hinted: EndpointSlice = {
    metadata: { name: "s-1" },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.0.1"], hints: { forZones: [{ name: "a" }] } }],
  };
  expect(new TopologyNotes().eventsOf("default/s", [{ addressType: "IPv4" }], [hinted])).toEqual([]);
});
