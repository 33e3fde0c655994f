import { type IpAddress, type IpRange, parseCidr, rangeContains } from "../../shared/api/ip.ts";
import { isOwn, type Link, linkTo, type Peer } from "./peer.ts";
import { apartBy, isBehindNat } from "./site.ts";
import { decideTunnel } from "./wireguard/decide.ts";
import type { Endpoint } from "./wireguard/endpoint.ts";

/** How one node's pods are reached, best first. */
export type PathKind =
  /** They are on this machine: another agent's. */
  | "local"
  /** A route to the node, on a network that both are in. */
  | "direct"
  /** Encapsulated, to a node behind a router. */
  | "vxlan"
  /** Encrypted, to a node at another site. */
  | "wireguard"
  | "none";

export interface Path {
  peer: string;
  kind: PathKind;
  cidr: IpRange;
  /** The node's address; of the range's family if `direct`. */
  via?: IpAddress;
  /** Of `wireguard`, where to speak to; absent: the other node speaks first. */
  endpoint?: Endpoint;
  /** Why there is none. */
  reason?: string;
}

export interface PathInputs {
  self: Peer;
  peers: readonly Peer[];
  /** Without those of the pod network. */
  links: readonly Link[];
  /** Peers for which a plain route was asked to be avoided (annotation), or found not to carry packets. */
  encapsulated?: ReadonlySet<string>;
  /** Why this node has no WireGuard, if it has none. */
  withoutWireGuard?: string;
}

/** A path for each range of each peer. A range that holds an address of this machine, or meets our own, gets none. */
export function decidePaths(inputs: PathInputs): Path[] {
  const { self, peers, links, encapsulated = new Set(), withoutWireGuard } = inputs;
  const overlay = self.addresses[0]?.family;
  const twice = keysInUseTwice([self, ...peers]);
  return peers.flatMap((peer) => {
    const apart = apartBy(self, peer);
    // Two sites may have the same private addresses: there they say nothing of who is near.
    const isNear = (ip: IpAddress) => apart !== "label" && linkTo(links, ip)?.isEthernet;
    const tunnel = apart && decideTunnel(self, peer, { twice, without: withoutWireGuard });
    return peer.podCidrs.map((cidr): Path => {
      const none = (reason: string): Path => ({ peer: peer.name, kind: "none", cidr, reason });
      if (peer.addresses.length === 0) return none("the node has no address");
      if (apart !== "label" && peer.addresses.some((ip) => isOwn(links, ip)))
        return { peer: peer.name, kind: "local", cidr };
      if (self.podCidrs.some((own) => overlaps(own, cidr))) return none("its range is this node's own");
      if (links.some(({ addresses }) => addresses.some((own) => rangeContains(cidr, toIp(own))))) {
        return none("its range holds an address of this machine");
      }
      const near = peer.addresses.find((ip) => ip.family === cidr.family && isNear(ip));
      if (near && !encapsulated.has(peer.name)) return { peer: peer.name, kind: "direct", cidr, via: near };
      const via = peer.addresses.find(({ family }) => family === overlay);
      const isReached = apart !== "label" && via !== undefined && (linkTo(links, via) || isOnTailnet(links, via));
      if (tunnel?.isPossible && !isReached) {
        return { peer: peer.name, kind: "wireguard", cidr, ...(tunnel.endpoint && { endpoint: tunnel.endpoint }) };
      }
      if (!via) return none("the nodes have no addresses of one family");
      // Without encryption it is a way all the same, where nobody puts other addresses in the place of the nodes'.
      const isHidden = isBehindNat(self) || isBehindNat(peer) || linkTo(links, via) !== undefined;
      if (tunnel && !tunnel.isPossible && !isReached && isHidden) return none(`at another site, ${tunnel.reason}`);
      return { peer: peer.name, kind: "vxlan", cidr, via };
    });
  });
}

/** Tailscale gives each machine a single address of this range, and a route of its own making to all others. */
const TAILNET = parseCidr("100.64.0.0/10")!;
const isOnTailnet = (links: readonly Link[], ip: IpAddress): boolean =>
  rangeContains(TAILNET, ip) &&
  links.some((link) => !link.isEthernet && link.addresses.some((own) => rangeContains(TAILNET, toIp(own))));

/** Keys that a copied disk has brought along: WireGuard knows a node by nothing else. */
function keysInUseTwice(nodes: readonly Peer[]): Set<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { wireguard } of nodes) {
    if (wireguard && seen.has(wireguard.publicKey)) twice.add(wireguard.publicKey);
    if (wireguard) seen.add(wireguard.publicKey);
  }
  return twice;
}

const toIp = ({ family, address }: IpRange): IpAddress => ({ family, value: address, mapped: false });

function overlaps(a: IpRange, b: IpRange): boolean {
  if (a.family !== b.family) return false;
  const [wide, narrow] = a.prefixLength <= b.prefixLength ? [a, b] : [b, a];
  return rangeContains(wide, { family: narrow.family, value: narrow.first, mapped: false });
}

/** A node's pods as a whole are reached as its worst range is. */
const ORDER: PathKind[] = ["none", "wireguard", "vxlan", "direct", "local"];
export function worstKinds(paths: readonly Path[]): Map<string, PathKind> {
  const kinds = new Map<string, PathKind>();
  for (const { peer, kind } of paths) {
    const known = kinds.get(peer);
    if (known === undefined || ORDER.indexOf(kind) < ORDER.indexOf(known)) kinds.set(peer, kind);
  }
  return kinds;
}
