import { describe, expect, it } from "vitest";
import { parseCidr, parseIp, printIp } from "../../shared/api/ip.ts";
import type { Node } from "../../shared/api/types.ts";
import { decidePaths, type PathInputs, worstPaths } from "./decide-paths.ts";
import { vxlanMac } from "./names.ts";
import { renderPaths } from "./paths-annotation.ts";
import { type Link, type Peer, PUBLIC_ADDRESS_ANNOTATION, parseSeen, peerOf } from "./peer.ts";
import { type Actual, decideCommands, type Plan, renderPlan } from "./plan.ts";
import { parseEndpoint, printEndpoint } from "./wireguard/endpoint.ts";

const node = (name: string, addresses: string[], podCIDRs: string[]): Node => ({
  metadata: { name, annotations: { [PUBLIC_ADDRESS_ANNOTATION]: "none" } },
  spec: { podCIDRs },
  status: { addresses: addresses.map((address) => ({ type: "InternalIP", address })) },
});
const peer = (...args: Parameters<typeof node>) => peerOf(node(...args));
const link = (name: string, addresses: string[], isEthernet = true): Link => ({
  ...{ name, mtu: 1500, isEthernet },
  addresses: addresses.map((each) => parseCidr(each)!),
});

const SELF = peer("a", ["192.168.1.10", "fd00::10"], ["10.244.0.0/24", "fd01:0:0:a::/64"]);
const LINKS = [link("eth0", ["192.168.1.10/24", "fd00::10/64"]), link("tailscale0", ["100.64.0.1/10"], false)];

it("takes of what a Node says of its addresses only so much, and what can be one", () => {
  const many = Array.from({ length: 50_000 }, (_, i) => `10.${i >> 8}.${i & 255}.1`);
  expect(peer("b", ["127.0.0.1", "x", ...many], []).addresses.map(printIp)).toEqual(many.slice(0, 16));
});

describe("decidePaths", () => {
  it.each([
    { name: "a node of the LAN: a route", of: peer("b", ["192.168.1.11"], ["10.244.1.0/24"]), want: ["direct"] },
    { name: "behind a router: encapsulated", of: peer("b", ["192.168.2.11"], ["10.244.1.0/24"]), want: ["vxlan"] },
    {
      name: "over a VPN's interface, which knows addresses only: encapsulated",
      of: peer("b", ["100.64.0.2"], ["10.244.1.0/24"]),
      want: ["vxlan"],
    },
    {
      name: "both families, each its way: a route of IPv6 needs a gateway of IPv6",
      of: peer("b", ["192.168.1.11"], ["10.244.1.0/24", "fd01:0:0:b::/64"]),
      want: ["direct", "vxlan"],
    },
    {
      name: "both families on the LAN",
      of: peer("b", ["192.168.1.11", "fd00::11"], ["10.244.1.0/24", "fd01:0:0:b::/64"]),
      want: ["direct", "direct"],
    },
    { name: "on this machine", of: peer("b", ["192.168.1.10"], ["10.244.1.0/24"]), want: ["local"] },
    { name: "no address yet", of: peer("b", [], ["10.244.1.0/24"]), want: ["none"] },
    { name: "an address that is nobody's", of: peer("b", ["127.0.0.1"], ["10.244.1.0/24"]), want: ["none"] },
    { name: "only of another family", of: peer("b", ["fd99::1"], ["10.244.1.0/24"]), want: ["relayed"] },
    { name: "no range yet", of: peer("b", ["192.168.1.11"], []), want: [] },
    { name: "our own range", of: peer("b", ["192.168.1.11"], ["10.244.0.128/25"]), want: ["none"] },
    {
      name: "a range that would take this machine's LAN",
      of: peer("b", ["192.168.1.11"], ["192.168.0.0/16"]),
      want: ["none"],
    },
    { name: "a range without measure is none", of: peer("b", ["192.168.1.11"], ["0.0.0.0/0", "x"]), want: [] },
  ])("$name", ({ of, want }) => {
    expect(decidePaths({ self: SELF, peers: [of], links: LINKS }).map(({ kind }) => kind)).toEqual(want);
  });

  describe("nodes at different sites", () => {
    const KEYS = ["a", "b", "c"].map((letter) => `${letter.repeat(42)}A=`);
    interface Site {
      site?: string;
      seen?: string;
      key?: number;
      endpoints?: string[];
      without?: string;
    }
    const at = (base: Peer, { site, seen, key, endpoints = [], without }: Site): Peer => ({
      ...base,
      ...(site !== undefined && { site }),
      ...parseSeen(seen),
      ...(without !== undefined && { wireguard: { without } }),
      ...(key !== undefined && {
        wireguard: { publicKey: KEYS[key]!, endpoints: endpoints.map((e) => parseEndpoint(e)!) },
      }),
    });
    const unseen = ({ isSeen: _, ...of }: Peer): Peer => of;
    const HOME = "198.51.100.7";
    const CLOUD = "203.0.113.9";
    const home = at(SELF, { seen: HOME, key: 0 });
    const cloud = peer("b", [CLOUD], ["10.244.1.0/24"]);
    const other = peer("b", ["10.7.0.1"], ["10.244.1.0/24"]);
    const open = [`${CLOUD}:51820`];

    it.each([
      {
        name: "home and cloud: the home speaks first",
        self: home,
        of: at(cloud, { seen: CLOUD, key: 1, endpoints: open }),
        want: `wireguard to ${CLOUD}:51820`,
      },
      {
        name: "the same from the cloud, which waits",
        self: at(cloud, { seen: CLOUD, key: 1, endpoints: open }),
        links: [link("eth0", [`${CLOUD}/24`])],
        of: at({ ...SELF, podCidrs: SELF.podCidrs.slice(0, 1) }, { seen: HOME, key: 0 }),
        want: "wireguard",
      },
      {
        name: "two homes",
        self: home,
        of: at(other, { seen: "198.51.100.8", key: 1 }),
        want: "relayed: at another site, both nodes are behind NAT",
      },
      {
        name: "two homes, one with an open port",
        self: home,
        of: at(other, { seen: "198.51.100.8", key: 1, endpoints: ["198.51.100.8:9"] }),
        want: "wireguard to 198.51.100.8:9",
      },
      {
        name: "an endpoint of a family that the other does not have",
        self: { ...home, addresses: SELF.addresses.slice(0, 1) },
        of: at(cloud, { seen: CLOUD, key: 1, endpoints: ["[2001:db8::9]:1"] }),
        want: "relayed: at another site, both nodes are behind NAT",
      },
      {
        name: "one home: its private network",
        self: home,
        of: at(other, { seen: HOME, key: 1, endpoints: ["10.7.0.1:1"] }),
        want: "vxlan",
      },
      {
        name: "a LAN, although its machines have addresses of the internet each",
        self: home,
        of: at(peer("b", ["192.168.1.11"], ["10.244.1.0/24"]), { seen: CLOUD, key: 1, endpoints: open }),
        want: "direct",
      },
      {
        name: "a VPN, although they are seen from two places",
        self: home,
        of: at(peer("b", ["100.64.0.2"], ["10.244.1.0/24"]), { seen: CLOUD, key: 1, endpoints: open }),
        want: "vxlan",
      },
      {
        name: "the other has no WireGuard, and the home is hidden",
        self: home,
        of: at(cloud, { seen: CLOUD, without: "w" }),
        want: "relayed: at another site, the other node offers no WireGuard",
      },
      {
        name: "neither has, nor is hidden",
        self: at(SELF, { site: "a", without: "w" }),
        of: at(cloud, { seen: CLOUD, site: "b", without: "w" }),
        want: "vxlan",
      },
      {
        name: "neither is hidden, and the other has not told yet what it has: nothing goes unencrypted meanwhile",
        self: at(SELF, { site: "a", without: "w" }),
        of: at(cloud, { seen: CLOUD, site: "b" }),
        want: "none: at another site, the other node has not told yet whether it has WireGuard",
      },
      {
        name: "this node has none, and says why",
        self: at(SELF, { seen: HOME, without: "the kernel has no WireGuard" }),
        of: at(cloud, { seen: CLOUD, key: 1, endpoints: open }),
        want: "relayed: at another site, the kernel has no WireGuard",
      },
      {
        name: "behind a router, and the control plane has not seen it yet: nothing goes unencrypted meanwhile",
        self: SELF,
        of: unseen(other),
        want: "none: it is not known yet whether the nodes are at one site",
      },
      {
        name: "nor before this node has been seen",
        self: unseen(SELF),
        of: other,
        want: "none: it is not known yet whether the nodes are at one site",
      },
      { name: "neither comes from the internet", self: SELF, of: other, want: "vxlan" },
      {
        name: "somebody says that they are at one site",
        self: at(unseen(SELF), { site: "a" }),
        of: at(unseen(other), { site: "a" }),
        want: "vxlan",
      },
      {
        name: "on one LAN nothing has to be known",
        self: unseen(SELF),
        of: unseen(peer("b", ["192.168.1.11"], ["10.244.1.0/24"])),
        want: "direct",
      },
      {
        name: "sites that were named, with one private range",
        self: at(SELF, { site: "a", key: 0 }),
        of: at(peer("b", ["192.168.1.11"], ["10.244.1.0/24"]), { site: "b", key: 1, endpoints: ["198.51.100.8:9"] }),
        want: "wireguard to 198.51.100.8:9",
      },
      {
        name: "the same without WireGuard: what is near is another machine",
        self: at(SELF, { site: "a", without: "w" }),
        of: at(peer("b", ["192.168.1.11"], ["10.244.1.0/24"]), { site: "b", without: "w" }),
        want: "relayed: at another site, w",
      },
      {
        name: "sites that were named, with one address",
        self: at(SELF, { site: "a", key: 0 }),
        of: at(peer("b", ["192.168.1.10"], ["10.244.1.0/24"]), { site: "b", key: 1, endpoints: open }),
        want: `wireguard to ${CLOUD}:51820`,
      },
      {
        name: "a copied disk",
        self: home,
        of: at(cloud, { seen: CLOUD, key: 0, endpoints: open }),
        want: "relayed: at another site, several nodes have one WireGuard key",
      },
    ])("$name: $want", ({ self, of, links = LINKS, want }) => {
      const [path] = decidePaths({ self, peers: [of], links });
      const { kind, reason, endpoint } = path!;
      expect(`${kind}${endpoint ? ` to ${printEndpoint(endpoint)}` : ""}${reason ? `: ${reason}` : ""}`).toBe(want);
    });
  });

  it("a node is reached as its worst range is, and the Node tells it, what is amiss first", () => {
    const peers = [
      peer("c", ["192.168.1.11"], ["10.244.1.0/24", "fd01:0:0:b::/64"]),
      peer("b", ["192.168.1.12"], ["10.244.2.0/24"]),
      peer("z", [], ["10.244.3.0/24"]),
    ];
    const paths = decidePaths({ self: SELF, peers, links: LINKS });
    expect([...worstPaths(paths)].map(([name, { kind }]) => [name, kind])).toEqual([
      ["c", "vxlan"],
      ["b", "direct"],
      ["z", "none"],
    ]);
    expect(renderPaths(paths)).toBe('{"z":"none: the node has no address","b":"direct","c":"vxlan"}');
  });

  it.each([
    { name: "a route that carries nothing: encapsulated", failing: ["b/direct4"], want: "vxlan" },
    { name: "of another peer", failing: ["c/direct4"], want: "direct" },
    { name: "encapsulation alone is not missed", failing: ["b/vxlan4"], want: "direct" },
    {
      name: "nothing carries",
      failing: ["b/direct4", "b/vxlan4"],
      want: "relayed: no packets get through by direct, vxlan",
    },
  ])("ways that were tried: $name", ({ failing, want }) => {
    const peers = [peer("b", ["192.168.1.11"], ["10.244.1.0/24"])];
    const paths = decidePaths({ self: SELF, peers, links: LINKS, failing: new Set(failing) });
    expect(JSON.parse(renderPaths(paths))).toEqual({ b: want });
  });

  it("the annotation has a bound", () => {
    const peers = Array.from({ length: 5000 }, (_, i) =>
      peer(`n${i}`, ["192.168.1.11"], [`10.${i % 250}.${i % 200}.0/24`]),
    );
    const text = renderPaths(decidePaths({ self: SELF, peers, links: LINKS }));
    expect(text.length).toBeLessThan(30_000);
    expect(JSON.parse(text)["others"]).toBe("4900");
  });
});

const UID = "11111111-2222-3333-4444-555555555555";
const OVERLAY = { name: "hearthv-a", mtu: 1450 };
const RELAY = { name: "hearthr-a", mtu: 1500, ports: { agent: 61_000, kernel: 61_001 } };
const COMMON = { clusterUid: UID, overlay: OVERLAY, relay: RELAY };

function planFor(peers: PathInputs["peers"], { self = SELF, failing = new Set<string>() } = {}) {
  const paths = decidePaths({ self, peers, links: LINKS, failing });
  return renderPlan({ self, paths, ...COMMON });
}
const lines = (plan: Plan, actual: Actual) => Object.values(decideCommands(plan, actual, { protocol: 99 })).flat();
const NOTHING: Actual = { routes: [], overlays: {} };

/** What the kernel has once a plan was carried out. */
const reached = ({ routes, overlays }: Plan): Actual => ({
  routes: routes.map((route) => ({ ...route, dev: route.dev ?? "eth0" })),
  overlays: Object.fromEntries(
    overlays.map(({ name, peers, ...overlay }) => [
      name,
      {
        ...overlay,
        isUp: true,
        forwarding: peers.map(({ gateways: _, ...entry }) => entry),
        neighbours: peers.flatMap(({ mac, gateways }) => gateways.map((address) => ({ mac, address }))),
      },
    ]),
  ),
});

describe("plans and steps", () => {
  const near = peer("b", ["192.168.1.11"], ["10.244.1.0/24"]);
  const far = peer("c", ["192.168.2.11"], ["10.244.2.0/24", "fd01:0:0:c::/64"]);

  it("a LAN needs routes and nothing else", () => {
    expect(lines(planFor([near]), NOTHING)).toEqual(["route replace 10.244.1.0/24 via 192.168.1.11 proto 99"]);
  });

  it("a node behind a router needs a device, its entries and its neighbours", () => {
    const mac = vxlanMac(UID, "c");
    const [, b, c, d, e, f] = mac.split(":");
    const linkLocal = printIp(parseIp(`fe80::${b}:${c}ff:fe${d}:${e}${f}`)!);
    const steps = lines(planFor([far]), NOTHING);
    expect(steps[0]).toMatch(
      /^link add name hearthv-a address 02(:[0-9a-f]{2}){5} mtu 1450 type vxlan id \d+ local 192.168.1.10 dstport 8472 nolearning$/,
    );
    expect(steps.slice(1)).toEqual([
      "link set dev hearthv-a addrgenmode none",
      "address replace 10.244.0.0/32 dev hearthv-a",
      "address replace fd01:0:0:a::/128 dev hearthv-a nodad",
      "link set dev hearthv-a up",
      `neighbour replace 10.244.2.0 lladdr ${mac} dev hearthv-a nud permanent`,
      `neighbour replace ${linkLocal} lladdr ${mac} dev hearthv-a nud permanent`,
      `fdb replace ${mac} dev hearthv-a dst 192.168.2.11`,
      "route replace 10.244.2.0/24 via 10.244.2.0 dev hearthv-a onlink proto 99",
      `route replace fd01:0:0:c::/64 via ${linkLocal} dev hearthv-a onlink proto 99`,
    ]);
  });

  it("what is right is not touched", () => {
    const plan = planFor([near, far]);
    expect(lines(plan, reached(plan))).toEqual([]);
  });

  it("a node that goes takes its route and entries along, and the last one the device", () => {
    const both = reached(planFor([far, peer("d", ["192.168.2.12"], ["10.244.3.0/24"])]));
    const steps = lines(planFor([far]), both);
    expect(steps).toEqual([
      "neighbour delete 10.244.3.0 dev hearthv-a",
      `fdb delete ${vxlanMac(UID, "d")} dev hearthv-a dst 192.168.2.12`,
      "route delete 10.244.3.0/24 via 10.244.3.0 dev hearthv-a onlink proto 99",
    ]);
    expect(lines(planFor([]), reached(planFor([far])))[0]).toBe("link delete dev hearthv-a");
  });

  it("another address of a node changes its entry alone", () => {
    const moved = peer("c", ["192.168.3.11"], ["10.244.2.0/24", "fd01:0:0:c::/64"]);
    expect(lines(planFor([moved]), reached(planFor([far])))).toEqual([
      `fdb delete ${vxlanMac(UID, "c")} dev hearthv-a dst 192.168.2.11`,
      `fdb replace ${vxlanMac(UID, "c")} dev hearthv-a dst 192.168.3.11`,
    ]);
  });

  it("another address of this machine makes the device anew, with all that hung on it", () => {
    const self = { ...SELF, addresses: peer("a", ["192.168.1.99"], []).addresses };
    const steps = lines(planFor([far], { self }), reached(planFor([far])));
    expect(steps.slice(0, 2).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual(["link delete", "link add"]);
    expect(steps.filter((line) => line.startsWith("route replace"))).toHaveLength(2);
  });

  it("a LAN whose routes carry nothing is encapsulated; the peer's bridge is asked by route now and then", () => {
    const steps = lines(planFor([near], { failing: new Set(["b/direct4"]) }), NOTHING);
    expect(steps.at(-2)).toBe("route replace 10.244.1.0/24 via 10.244.1.0 dev hearthv-a onlink proto 99");
    expect(steps.at(-1)).toBe("route replace 10.244.1.1/32 via 192.168.1.11 proto 99");
  });

  it("where no way carries anything the agent takes the packets; the overlay stays, to hear when it does again", () => {
    const failing = new Set(["b/direct4", "b/vxlan4"]);
    const plan = planFor([near], { failing });
    const mac = vxlanMac(UID, "b");
    const steps = lines(plan, NOTHING);
    expect(steps).toContainEqual(
      expect.stringMatching(
        /^link add name hearthr-a address \S+ mtu 1500 type vxlan id \d+ local 127.0.0.1 dstport 61001 srcport 61000 61001 nolearning$/,
      ),
    );
    expect(steps).toEqual(
      expect.arrayContaining([
        `fdb replace ${mac} dev hearthv-a dst 192.168.1.11`,
        `fdb replace ${mac} dev hearthr-a dst 127.255.255.255 port 61000`,
        "route replace 10.244.1.0/24 via 10.244.1.0 dev hearthr-a onlink proto 99",
        "route replace 10.244.1.1/32 via 192.168.1.11 proto 99",
      ]),
    );
    expect(lines(plan, reached(plan))).toEqual([]);
    expect(lines(planFor([near]), reached(plan))).toEqual([
      "link delete dev hearthv-a",
      "link delete dev hearthr-a",
      "route delete 10.244.1.1/32 via 192.168.1.11 proto 99",
      "route replace 10.244.1.0/24 via 192.168.1.11 proto 99",
    ]);
  });

  it("nothing is encapsulated before the cluster's id is known", () => {
    const paths = decidePaths({ self: SELF, peers: [far], links: LINKS });
    expect(renderPlan({ self: SELF, paths, ...COMMON, clusterUid: undefined })).toEqual({ routes: [], overlays: [] });
  });
});
