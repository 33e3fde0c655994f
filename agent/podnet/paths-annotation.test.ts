import { describe, expect, it } from "vitest";
import { parseCidr } from "../../shared/api/ip.ts";
import type { Path } from "./decide-paths.ts";
import { asksForRelay, failingBefore, pathEvents, renderPaths } from "./paths-annotation.ts";

const cidr = parseCidr("10.244.1.0/24")!;
const path = (peer: string, kind: Path["kind"], reason?: string): Path => ({
  ...{ peer, kind, cidr, ...(reason !== undefined && { reason }) },
});

it("what a node tells: what is not reached, what is relayed, then the others", () => {
  const paths = [path("a", "direct"), path("b", "relayed", "r"), path("c", "vxlan"), path("d", "none", "n")];
  expect(renderPaths(paths)).toBe('{"d":"none: n","b":"relayed: r","a":"direct","c":"vxlan"}');
  expect(JSON.parse(renderPaths(paths, new Set(["a", "b", "d"])))).toEqual({
    a: "none: it does not answer (direct)",
    b: "none: r, and it does not answer over the relay",
    c: "vxlan",
    d: "none: n",
  });
});

it.each([
  { words: "relayed: no packets get through by direct, vxlan", want: true },
  { words: "none: it does not answer (direct)", want: true },
  { words: "none: r, and it does not answer over the relay", want: true },
  { words: "none: the node has no address", want: false },
  { words: "direct", want: false },
])("a node that says $words of this one asks for the relay: $want", ({ words, want }) => {
  expect(asksForRelay(JSON.stringify({ "node-1": words, "node-2": "direct" }), "node-1")).toBe(want);
  expect(asksForRelay(JSON.stringify({ "node-1": words }), "node-2")).toBe(false);
});
it("and none does in what is no annotation of ours", () => {
  for (const text of ["", "{", '{"node-1":"relayed', '["node-1"]']) expect(asksForRelay(text, "node-1")).toBe(false);
});

it.each([
  { words: "direct", want: [] },
  { words: "vxlan", want: ["b/direct4", "b/direct6"] },
  { words: "none: it does not answer (direct)", want: [] },
  {
    words: "relayed: no packets get through by direct, vxlan",
    want: ["b/direct4", "b/direct6", "b/vxlan4", "b/vxlan6", "b/wireguard"],
  },
  {
    words: "none: r, and it does not answer over the relay",
    want: ["b/direct4", "b/direct6", "b/vxlan4", "b/vxlan6", "b/wireguard"],
  },
])("after a restart, $words means that others failed: $want", ({ words, want }) =>
  expect([...failingBefore(JSON.stringify({ b: words }))].sort()).toEqual(want),
);

describe("events", () => {
  const eventsOf = (before: Record<string, string>, now: Record<string, string>) =>
    pathEvents(JSON.stringify(before), JSON.stringify(now)).map(({ reason, message }) => [reason, message]);
  it.each<{ name: string; before: Record<string, string>; now: Record<string, string>; want: string[][] }>([
    { name: "nothing has changed", before: { b: "relayed: r" }, now: { b: "relayed: r" }, want: [] },
    { name: "another way", before: { b: "direct" }, now: { b: "vxlan" }, want: [] },
    { name: "a peer starts again", before: { b: "none: it does not answer" }, now: { b: "direct" }, want: [] },
    { name: "a peer goes", before: { b: "relayed: r" }, now: {}, want: [] },
    {
      name: "relayed",
      before: { b: "direct" },
      now: { b: "relayed: r", c: "relayed: s" },
      want: [
        [
          "PodNetworkRelayed",
          "Pods of other nodes are reached through the control plane, slowly: b (relayed: r), c (relayed: s)",
        ],
      ],
    },
    {
      name: "not any more",
      before: { b: "relayed: r" },
      now: { b: "direct" },
      want: [
        ["PodNetworkNotRelayed", "Pods of other nodes are not reached through the control plane any more: b (direct)"],
      ],
    },
  ])("$name", ({ before, now, want }) => expect(eventsOf(before, now)).toEqual(want));
  it("name so many nodes and no more", () => {
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`n${i}`, "relayed: r"]));
    expect(eventsOf({}, many)[0]![1]).toMatch(/n9 \(relayed: r\), 80 more$/);
  });
});
