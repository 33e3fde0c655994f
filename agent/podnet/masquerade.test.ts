import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parseCidr, parseIp } from "../../shared/api/ip.ts";
import { decidePaths } from "./decide-paths.ts";
import { parseForwardDrops } from "./firewall.ts";
import { renderTable } from "./masquerade.ts";
import { isOfInterest } from "./monitor.ts";
import { decideMtu } from "./mtu.ts";
import { peerOf } from "./peer.ts";

const peer = (name: string, address: string, podCIDRs: string[]) => ({
  ...peerOf({ metadata: { name }, spec: { podCIDRs }, status: { addresses: [{ type: "InternalIP", address }] } }),
  isSeen: true,
});
const self = peer("a", "192.0.2.1", ["10.244.0.0/24", "fd01:0:0:a::/64"]);
const near = peer("b", "192.0.2.2", ["10.244.1.0/24"]);
const far = peer("c", "198.51.100.2", ["10.244.2.0/24", "fd01:0:0:c::/64"]);
const links = [{ name: "eth0", mtu: 1500, isEthernet: true, addresses: [parseCidr("192.0.2.1/24")!] }];

function render(peers = [near, far]): string {
  const paths = decidePaths({ self, peers, links });
  const overlays = [
    { name: "hearthv-a", id: 4242, port: 8472 },
    { name: "hearthr-a", id: 4242, port: 61_003, sourcePort: 61_002 },
  ];
  return renderTable({ table: "hearth-pods-a", self, peers, paths, bridgeName: "hearth-a", overlays });
}

function renderEncrypted(): string {
  const wireguard = { name: "hearthw-a", nodeAddresses: [parseIp("10.9.0.1")!] };
  return renderTable({
    ...{ table: "hearth-pods-a", self, peers: [far], paths: [], bridgeName: "hearth-a", overlays: [] },
    wireguard,
  });
}

describe("the table", () => {
  it("spares pods of all nodes, and the nodes that have a route to pods", () => {
    const lines = render()
      .split("\n")
      .map((line) => line.trim());
    expect(lines).toContain("elements = { 10.244.0.0/24, 10.244.1.0/24, 10.244.2.0/24, 192.0.2.2 }");
    expect(lines).toContain("elements = { fd01:0:0:a::/64, fd01:0:0:c::/64 }");
    expect(lines).toContain("ip saddr 10.244.0.0/24 ip daddr != @cluster4 masquerade");
    expect(lines).toContain("ip6 saddr fd01:0:0:a::/64 ip6 daddr != @cluster6 masquerade");
  });

  it("takes encapsulated packets from nodes alone", () => {
    expect(render()).toContain("elements = { 192.0.2.2, 198.51.100.2 }");
    expect(render()).toContain('udp dport 8472 @th,96,24 4242 iifname "hearth-a" drop');
  });

  it("spares the nodes that are reached over WireGuard, and lets nothing larger through than fits", () => {
    expect(renderEncrypted()).toContain("elements = { 10.244.0.0/24, 10.244.2.0/24, 10.9.0.1 }");
    expect(renderEncrypted()).toContain('oifname "hearthw-a" tcp flags syn tcp option maxseg size set rt mtu');
  });

  it("takes the relay's packets from the agent alone", () => {
    expect(render()).toContain('udp dport { 61003, 61002 } iifname != "lo" drop');
    expect(render()).toContain("udp dport 61003 udp sport != 61002 drop");
  });

  it.skipIf(process.getuid?.() !== 0).each([
    { name: "some peers", text: render() },
    { name: "none", text: render([]) },
    { name: "WireGuard alone", text: renderEncrypted() },
  ])("nft takes it (as root): $name", ({ text }) => {
    const { status, stderr } = spawnSync("nft", ["-c", "-f", "-"], { input: text, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

it.each([
  { name: "nothing is encapsulated", link: 1500, uses: {}, want: 1500 },
  { name: "over IPv4", link: 1500, uses: { vxlan: 4 as const }, want: 1450 },
  { name: "over IPv6", link: 1500, uses: { vxlan: 6 as const }, want: 1430 },
  { name: "a cloud's large frames", link: 9001, uses: { vxlan: 4 as const }, want: 8951 },
  { name: "never under what IPv6 needs", link: 1300, uses: { vxlan: 6 as const }, want: 1280 },
  { name: "nor over what the link takes", link: 1200, uses: { vxlan: 4 as const }, want: 1200 },
  { name: "encrypted", link: 1500, uses: { wireguard: true }, want: 1420 },
  { name: "the least of several", link: 1500, uses: { wireguard: true, vxlan: 6 as const }, want: 1420 },
  { name: "the internet takes no large frames", link: 9001, uses: { wireguard: true }, want: 1420 },
])("the MTU: $name", ({ link, uses, want }) => expect(decideMtu(link, uses)).toBe(want));

describe("parseForwardDrops", () => {
  const chain = (family: string, table: string, hook: string, policy: string) => ({
    chain: { family, table, name: "FORWARD", handle: 1, type: "filter", hook, prio: 0, policy },
  });
  it.each([
    {
      name: "Docker's",
      list: [{ metainfo: {} }, chain("ip", "filter", "forward", "drop")],
      want: ["ip filter FORWARD"],
    },
    { name: "one that accepts", list: [chain("ip", "filter", "forward", "accept")], want: [] },
    { name: "of what comes in", list: [chain("inet", "fw", "input", "drop")], want: [] },
    { name: "of frames", list: [chain("bridge", "fw", "forward", "drop")], want: [] },
    { name: "a chain without a hook", list: [{ chain: { family: "ip", table: "x", name: "y" } }], want: [] },
  ])("$name", ({ list, want }) => expect(parseForwardDrops(JSON.stringify({ nftables: list }))).toEqual(want));
  it("finds nothing in what nft did not write", () => expect(parseForwardDrops("oops")).toEqual([]));
});

it.each([
  ["10.244.1.0/24 via 192.0.2.2 dev eth0 proto 99", true],
  ["Deleted 4: hearthv-a: <BROADCAST> mtu 1450", true],
  ["7: veth12ab@if2: <BROADCAST> mtu 1500 master hearth-a", false],
  ["", false],
])("the kernel's word %j counts: %s", (line, want) => expect(isOfInterest(line)).toBe(want));
