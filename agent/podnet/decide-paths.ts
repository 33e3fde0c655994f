import { type IpAddress, type IpRange, parseCidr, rangeContains, rangesOverlap } from "../../shared/api/ip.ts";
import { isOwn, type Link, linkTo, type Peer } from "./peer.ts";
import { apartBy, isBehindNat } from "./site.ts";
import { decideTunnel } from "./wireguard/decide.ts";
import type { Endpoint } from "./wireguard/endpoint.ts";

/** A way by which packets could go from node to node, best first; which one carries them has to be tried. */
export const WAY_KINDS = ["direct", "vxlan", "wireguard"] as const;
export type WayKind = (typeof WAY_KINDS)[number];

export interface Way {
  /**
   * `direct`: a route to the node, on a network that both are in. `vxlan`: encapsulated, to a node behind a router.
   * `wireguard`: encrypted, to a node at another site.
   */
  kind: WayKind;
  /** The node's address; of the range's family if `direct`; absent if `wireguard`. */
  via?: IpAddress;
  /** Of `wireguard`, where to speak to; absent: the other node speaks first. */
  endpoint?: Endpoint;
}

/** How one node's pods are reached. */
export type PathKind =
  /** They are on this machine: another agent's. */
  | "local"
  | WayKind
  /** Through the control plane, since there is no way that carries packets. */
  | "relayed"
  | "none";

export interface Path extends Omit<Way, "kind"> {
  peer: string;
  kind: PathKind;
  cidr: IpRange;
  /** Why there is none, or no better one. */
  reason?: string;
  /** Better ways, which were found not to carry packets: they are tried again from time to time. */
  failing?: readonly Way[];
}

export interface PathInputs {
  self: Peer;
  peers: readonly Peer[];
  /** Without those of the pod network. */
  links: readonly Link[];
  /** Ways that were found not to carry packets, by `wayKey`. */
  failing?: ReadonlySet<string>;
}

/** Tells the ways of a node to its peers apart: ranges of one family share theirs. */
export const wayKey = (peer: string, { kind, via }: Pick<Way, "kind" | "via">): string =>
  `${peer}/${kind}${kind === "wireguard" ? "" : (via?.family ?? "")}`;

/**
 * A path for each range of each peer: the best way that is not known to fail, and the relay where there is none. A range
 * that holds an address of this machine, or meets our own, gets none.
 */
export function decidePaths(inputs: PathInputs): Path[] {
  const { self, peers, links, failing = new Set() } = inputs;
  const twice = keysInUseTwice([self, ...peers]);
  return peers.flatMap((peer) =>
    peer.podCidrs.map((cidr): Path => {
      const none = (reason: string): Path => ({ peer: peer.name, kind: "none", cidr, reason });
      if (peer.addresses.length === 0) return none("the node has no address");
      if (apartBy(self, peer) !== "label" && peer.addresses.some((ip) => isOwn(links, ip)))
        return { peer: peer.name, kind: "local", cidr };
      if (self.podCidrs.some((own) => rangesOverlap(own, cidr))) return none("its range is this node's own");
      if (links.some(({ addresses }) => addresses.some((own) => rangeContains(cidr, toIp(own))))) {
        return none("its range holds an address of this machine");
      }
      const { ways, reason, isUndecided } = waysTo(peer, cidr, { ...inputs, twice });
      if (isUndecided) return none(reason ?? "");
      const best = ways.findIndex((way) => !failing.has(wayKey(peer.name, way)));
      const worse = best < 0 ? ways : ways.slice(0, best);
      const why = worse.length > 0 ? `no packets get through by ${worse.map(({ kind }) => kind).join(", ")}` : reason;
      return {
        ...{ peer: peer.name, cidr, ...(ways[best] ?? { kind: "relayed" }) },
        ...(worse.length > 0 && { failing: worse }),
        ...(why !== undefined && { reason: why }),
      };
    }),
  );
}

/** Those that are possible by what is known of the nodes, best first; and the reason if there are none. */
function waysTo(
  peer: Peer,
  cidr: IpRange,
  { self, links, twice }: PathInputs & { twice: ReadonlySet<string> },
): { ways: Way[]; reason?: string; isUndecided?: boolean } {
  const apart = apartBy(self, peer);
  // Two sites may have the same private addresses: there they say nothing of who is near.
  const isNear = (ip: IpAddress) => apart !== "label" && linkTo(links, ip)?.isEthernet;
  const near = peer.addresses.find((ip) => ip.family === cidr.family && isNear(ip));
  const ways: Way[] = near ? [{ kind: "direct", via: near }] : [];
  const via = peer.addresses.find(({ family }) => family === self.addresses[0]?.family);
  const isReached = apart !== "label" && via !== undefined && (linkTo(links, via) || isOnTailnet(links, via));
  const tunnel = apart && decideTunnel(self, peer, twice);
  // Without encryption it is a way all the same, where nobody puts other addresses in the place of the nodes'.
  const isHidden = via && (isBehindNat(self) || isBehindNat(peer) || linkTo(links, via) !== undefined);
  const isPlain = tunnel ? !tunnel.isPossible && !tunnel.isUndecided && !isHidden : isAtOneSite(self, peer);
  if (via && (isReached || isPlain)) ways.push({ kind: "vxlan", via });
  if (tunnel?.isPossible) ways.push({ kind: "wireguard", ...(tunnel.endpoint && { endpoint: tunnel.endpoint }) });
  if (ways.length > 0) return { ways };
  if (!via || tunnel?.isPossible) return { ways, reason: "the nodes have no addresses of one family" };
  if (!tunnel) return { ways, isUndecided: true, reason: "it is not known yet whether the nodes are at one site" };
  return { ways, isUndecided: tunnel.isUndecided === true, reason: `at another site, ${tunnel.reason}` };
}

/** Nothing goes unencrypted to a node of which it is not known. What has one origin is not at different sites. */
const isAtOneSite = (self: Peer, peer: Peer) =>
  self.site !== undefined || (self.isSeen === true && peer.isSeen === true);

/** Tailscale gives each machine a single address of this range, and a route of its own making to all others. */
const TAILNET = parseCidr("100.64.0.0/10")!;
const isOnTailnet = (links: readonly Link[], ip: IpAddress): boolean =>
  rangeContains(TAILNET, ip) &&
  links.some((link) => !link.isEthernet && link.addresses.some((own) => rangeContains(TAILNET, toIp(own))));

/** Keys that a copied disk has brought along: WireGuard knows a node by nothing else. */
export function keysInUseTwice(nodes: readonly Peer[]): Set<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { wireguard } of nodes) {
    if (!wireguard || "without" in wireguard) continue;
    if (seen.has(wireguard.publicKey)) twice.add(wireguard.publicKey);
    seen.add(wireguard.publicKey);
  }
  return twice;
}

const toIp = ({ family, address }: IpRange): IpAddress => ({ family, value: address, mapped: false });

/** A node's pods as a whole are reached as its worst range is. */
const ORDER: PathKind[] = ["none", "relayed", ...WAY_KINDS.toReversed(), "local"];
export function worstPaths(paths: readonly Path[]): Map<string, Path> {
  const worst = new Map<string, Path>();
  for (const path of paths) {
    const known = worst.get(path.peer);
    if (known === undefined || ORDER.indexOf(path.kind) < ORDER.indexOf(known.kind)) worst.set(path.peer, path);
  }
  return worst;
}
