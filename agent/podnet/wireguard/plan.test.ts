import { describe, expect, it } from "vitest";
import { parseCidr, parseIp } from "../../../shared/api/ip.ts";
import { decidePaths, wayKey } from "../decide-paths.ts";
import { type Link, type Peer, peerOf } from "../peer.ts";
import { isInPlace, parseDump, renderConfig } from "./config.ts";
import { parseEndpoint } from "./endpoint.ts";
import { renderWireGuard } from "./plan.ts";

interface NodeFacts {
  addresses: string[];
  podCIDRs: string[];
  seen?: string;
  site?: string;
  key: string;
  endpoints?: string[];
}
function node(name: string, { addresses, podCIDRs, seen, site, key, endpoints = [] }: NodeFacts): Peer {
  const base = peerOf({
    metadata: { name },
    spec: { podCIDRs },
    status: { addresses: addresses.map((address) => ({ type: "InternalIP", address })) },
  });
  return {
    ...base,
    ...(seen !== undefined && { publicAddress: parseIp(seen)! }),
    ...(site !== undefined && { site }),
    wireguard: { publicKey: keyOf(key), endpoints: endpoints.map((each) => parseEndpoint(each)!) },
  };
}
const keyOf = (letter: string) => `${letter.repeat(42)}A=`;
const PRIVATE_KEY = "8MW6FIMeyWkzSoMZFMqt1VZWT2FVhGWl4qdWB2aLzlo=";
const LINKS: Link[] = [{ name: "eth0", mtu: 1500, isEthernet: true, addresses: [parseCidr("192.168.1.10/24")!] }];

const home = node("home", {
  addresses: ["192.168.1.10"],
  podCIDRs: ["10.244.0.0/24", "fd01:0:0:a::/64"],
  seen: "198.51.100.7",
  key: "a",
});
const cloud = node("cloud", {
  addresses: ["203.0.113.9", "10.9.0.1"],
  podCIDRs: ["10.244.1.0/24", "fd01:0:0:b::/64"],
  seen: "203.0.113.9",
  key: "b",
  endpoints: ["203.0.113.9:51820", "10.9.0.1:51820"],
});
const office = node("office", {
  addresses: ["172.16.0.4"],
  podCIDRs: ["10.244.2.0/24"],
  seen: "192.0.2.1",
  key: "c",
  endpoints: ["192.0.2.1:900"],
});

function plan(self: Peer, peers: Peer[], { links = LINKS, failing = [] }: { links?: Link[]; failing?: string[] } = {}) {
  const paths = decidePaths({ self, peers, links, failing: new Set(failing) });
  return renderWireGuard({ self, peers, paths, links, device: { name: "hearthw-x", mtu: 1420, listenPort: 51820 } });
}
const routesOf = ({ routes }: ReturnType<typeof plan>) => routes.map(({ to }) => to).sort();

describe("what the device shall have", () => {
  it("at home: peers are spoken to first, and kept alive through the router", () => {
    const { device, routes } = plan(home, [cloud, office]);
    expect(renderConfig(device!, PRIVATE_KEY)).toBe(`[Interface]
PrivateKey = ${PRIVATE_KEY}
ListenPort = 51820

# cloud
[Peer]
PublicKey = ${keyOf("b")}
AllowedIPs = 10.244.1.0/24, 10.9.0.1/32, fd01:0:0:b::/64
Endpoint = 203.0.113.9:51820
PersistentKeepalive = 25

# office
[Peer]
PublicKey = ${keyOf("c")}
AllowedIPs = 10.244.2.0/24, 172.16.0.4/32
Endpoint = 192.0.2.1:900
PersistentKeepalive = 25
`);
    expect(device).toMatchObject({ mtu: 1420, addresses: ["10.244.0.0/32", "fd01:0:0:a::/128"] });
    expect(routesOf({ routes } as ReturnType<typeof plan>)).toEqual([
      ...["10.244.1.0/24", "10.244.2.0/24", "10.9.0.1/32", "172.16.0.4/32", "fd01:0:0:b::/64"],
    ]);
    expect(routes.every(({ dev, via }) => dev === "hearthw-x" && via === undefined)).toBe(true);
  });

  it("in the cloud: the home speaks first, and nobody has to be kept alive", () => {
    const { device } = plan(cloud, [home, office], { links: [] });
    expect(renderConfig(device!, PRIVATE_KEY)).toBe(`[Interface]
PrivateKey = ${PRIVATE_KEY}
ListenPort = 51820

# home
[Peer]
PublicKey = ${keyOf("a")}
AllowedIPs = 10.244.0.0/24, 192.168.1.10/32, fd01:0:0:a::/64

# office
[Peer]
PublicKey = ${keyOf("c")}
AllowedIPs = 10.244.2.0/24, 172.16.0.4/32
Endpoint = 192.0.2.1:900
`);
  });

  it("no device where nobody is at another site", () => {
    const neighbour = node("n", {
      addresses: ["192.168.1.11"],
      podCIDRs: ["10.244.3.0/24"],
      seen: "198.51.100.7",
      key: "d",
    });
    expect(plan(home, [neighbour])).toEqual({ routes: [], nodeAddresses: [] });
  });

  it("a way that carries nothing is tried again by the first address of the other's range", () => {
    const found = plan(home, [cloud], { failing: [wayKey("cloud", { kind: "wireguard" })] });
    expect(found.device!.peers).toHaveLength(1);
    expect(routesOf(found)).toEqual(["10.244.1.0/32", "fd01:0:0:b::/128"]);
    expect(found.nodeAddresses).toEqual([]);
  });

  it.each([
    { name: "of the internet", addresses: ["203.0.113.77"] },
    { name: "of a network of ours", addresses: ["192.168.1.44"] },
    { name: "of this machine", addresses: ["192.168.1.10"] },
    { name: "of another node as well", addresses: ["172.16.0.4"] },
    { name: "of pods", addresses: ["10.244.2.7"] },
    { name: "that encrypted packets are sent to", addresses: ["10.7.0.7"] },
    {
      name: "of a family that our pods do not have",
      addresses: ["fd77::7"],
      self: { ...home, podCidrs: home.podCidrs.slice(0, 1) },
    },
  ])("a node's address is not taken into the tunnel if it is one $name", ({ addresses, self = home }) => {
    const odd = node("odd", {
      addresses,
      podCIDRs: ["10.244.9.0/24"],
      site: "elsewhere",
      key: "d",
      endpoints: ["10.7.0.7:1"],
    });
    const found = plan({ ...self, site: "here" }, [odd, office]);
    expect(found.device!.peers.find(({ node }) => node === "odd")!.allowedIps).toEqual(["10.244.9.0/24"]);
    expect(routesOf(found)).toContain("10.244.9.0/24");
    expect(found.nodeAddresses.every(({ value }) => value === parseIp("172.16.0.4")!.value)).toBe(true);
  });
});

describe("what is in place is not touched", () => {
  const { device } = plan(home, [cloud, office]);
  const lines = (peers: string[]) => [[PRIVATE_KEY, keyOf("a"), "51820", "off"].join("\t"), ...peers, ""].join("\n");
  const line = (key: string, endpoint: string, ips: string, keepalive = "25") =>
    [keyOf(key), "(none)", endpoint, ips, "1764453600", "180", "92", keepalive].join("\t");
  const CLOUD = line("b", "203.0.113.9:51820", "fd01:0:0:b::/64,10.244.1.0/24,10.9.0.1/32");
  const OFFICE = line("c", "192.0.2.1:900", "10.244.2.0/24,172.16.0.4/32");
  const SET = new Map([
    [keyOf("b"), "203.0.113.9:51820"],
    [keyOf("c"), "192.0.2.1:900"],
  ]);

  it.each([
    { name: "all as it shall be", peers: [CLOUD, OFFICE], want: true },
    { name: "a peer has wandered", peers: [CLOUD, OFFICE.replace("192.0.2.1:900", "198.51.100.1:7")], want: true },
    {
      name: "a peer has told another endpoint",
      peers: [CLOUD, OFFICE],
      wasSet: new Map([...SET, [keyOf("c"), "192.0.2.1:800"]]),
      want: false,
    },
    {
      name: "nobody knows what was set: the agent was restarted",
      peers: [CLOUD, OFFICE],
      wasSet: new Map<string, string>(),
      want: false,
    },
    { name: "a peer is missing", peers: [CLOUD], want: false },
    { name: "a peer is left over", peers: [CLOUD, OFFICE, line("d", "(none)", "(none)", "off")], want: false },
    { name: "a peer has another key", peers: [CLOUD, OFFICE.replace(keyOf("c"), keyOf("d"))], want: false },
    { name: "a range is missing", peers: [CLOUD, OFFICE.replace("10.244.2.0/24,", "")], want: false },
    { name: "it is not kept alive", peers: [CLOUD, OFFICE.replace(/25$/, "off")], want: false },
    { name: "an endpoint is missing", peers: [CLOUD, OFFICE.replace("192.0.2.1:900", "(none)")], want: false },
    { name: "another port", peers: [CLOUD, OFFICE], port: "51821", want: false },
    { name: "another key of ours", peers: [CLOUD, OFFICE], key: "(none)", want: false },
    { name: "nothing at all", peers: [], want: false },
  ])("$name: $want", ({ peers, wasSet = SET, port = "51820", key = PRIVATE_KEY, want }) => {
    const dump = lines(peers).replace("\t51820\t", `\t${port}\t`).replace(PRIVATE_KEY, key);
    expect(isInPlace(device!, parseDump(dump), { privateKey: PRIVATE_KEY, wasSet })).toBe(want);
  });

  it("a new device has nothing, and odd lines are none", () => {
    const { peers } = parseDump("(none)\t(none)\t0\toff\n");
    expect(peers.size).toBe(0);
    expect(parseDump("")).toEqual({ privateKey: "", listenPort: 0, peers: new Map() });
    expect(parseDump("a\nb\tc").peers.size).toBe(0);
  });
});
