import { type IpAddress, printCidr, printIp, rangeContains } from "../../../shared/api/ip.ts";
import type { Path, Way } from "../decide-paths.ts";
import { isOwn, type Link, linkTo, type Peer } from "../peer.ts";
import type { Route } from "../plan.ts";
import { isPrivate, isPublic } from "../site.ts";
import type { WireGuardDevice, WireGuardPeer } from "./config.ts";
import { type Endpoint, printEndpoint } from "./endpoint.ts";

/** Routers forget where answers go after some 30 s without a packet; wg(8) says so, too. */
const KEEPALIVE_SECONDS = 25;

export interface WireGuardInputs {
  self: Peer;
  peers: readonly Peer[];
  paths: readonly Path[];
  links: readonly Link[];
  device: { name: string; mtu: number; listenPort: number };
}

export interface WireGuardPlan {
  /** Only there while a path needs it. */
  device?: WireGuardDevice;
  routes: Route[];
  /** Those of other sites' nodes that are reached through it. */
  nodeAddresses: IpAddress[];
}

/** Device, peers and routes for what goes over WireGuard, and for what is tried again by it. Sorted, as all plans are. */
export function renderWireGuard({ self, peers, paths, links, device }: WireGuardInputs): WireGuardPlan {
  const tunnels = new Map<string, Way>();
  const routes: Route[] = [];
  for (const { peer, cidr, kind, endpoint, failing = [] } of paths) {
    const tried = failing.find((way) => way.kind === "wireguard");
    if (kind !== "wireguard" && !tried) continue;
    tunnels.set(peer, tried ?? { kind: "wireguard", ...(endpoint && { endpoint }) });
    if (kind === "wireguard") routes.push({ to: printCidr(cidr), dev: device.name });
    // By the first address of the range, as what goes over WireGuard is asked at all times.
    else routes.push({ to: hostRange({ family: cidr.family, value: cidr.first }), dev: device.name });
  }
  if (tunnels.size === 0) return { routes, nodeAddresses: [] };
  const nodes = nodesBehind({ self, peers, links, tunnels });
  const isCarrying = new Set(paths.filter(({ kind }) => kind === "wireguard").map(({ peer }) => peer));
  // Without an address of the internet there is a router on the way to it, which is known to nobody but itself.
  const keepaliveSeconds = self.addresses.some(isPublic) ? 0 : KEEPALIVE_SECONDS;
  const found: WireGuardPeer[] = [];
  for (const { name, podCidrs, wireguard } of peers) {
    const tunnel = tunnels.get(name);
    if (!tunnel || !wireguard || "without" in wireguard) continue;
    const addresses = nodes.get(name) ?? [];
    found.push({
      node: name,
      publicKey: wireguard.publicKey,
      ...(tunnel.endpoint && { endpoint: printEndpoint(tunnel.endpoint) }),
      allowedIps: [...podCidrs.map(printCidr), ...addresses.map(hostRange)].sort(),
      keepaliveSeconds,
    });
    if (isCarrying.has(name)) routes.push(...addresses.map((ip) => ({ to: hostRange(ip), dev: device.name })));
  }
  return {
    device: {
      ...device,
      addresses: self.podCidrs.map((cidr) => hostRange({ family: cidr.family, value: cidr.first })),
      peers: found.sort((a, b) => (a.node < b.node ? -1 : 1)),
    },
    routes,
    nodeAddresses: [...nodes].flatMap(([name, addresses]) => (isCarrying.has(name) ? addresses : [])),
  };
}

/**
 * The private addresses of nodes at other sites, which nothing but the tunnel leads to. What could lead a packet of
 * anybody else astray is left out: addresses that more than one claims, those of our own networks, of pods, and those that
 * encrypted packets are sent to.
 */
function nodesBehind({
  self,
  peers,
  links,
  tunnels,
}: Pick<WireGuardInputs, "self" | "peers" | "links"> & { tunnels: ReadonlyMap<string, Way> }): Map<
  string,
  IpAddress[]
> {
  const nodes = [self, ...peers];
  const ranges = nodes.flatMap(({ podCidrs }) => podCidrs);
  const endpoints = [...tunnels.values()].map(({ endpoint }) => endpoint).filter((each): each is Endpoint => !!each);
  const isSame = (a: IpAddress, b: IpAddress) => a.family === b.family && a.value === b.value;
  const isFree = (ip: IpAddress) =>
    isPrivate(ip) &&
    self.podCidrs.some(({ family }) => family === ip.family) &&
    !isOwn(links, ip) &&
    linkTo(links, ip) === undefined &&
    !ranges.some((range) => rangeContains(range, ip)) &&
    !endpoints.some(({ address }) => isSame(address, ip)) &&
    nodes.filter(({ addresses }) => addresses.some((each) => isSame(each, ip))).length === 1;
  return new Map(
    peers.filter(({ name }) => tunnels.has(name)).map(({ name, addresses }) => [name, addresses.filter(isFree)]),
  );
}

const hostRange = (ip: Pick<IpAddress, "family" | "value">) => `${printIp(ip)}/${ip.family === 4 ? 32 : 128}`;
