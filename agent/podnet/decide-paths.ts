import { type IpAddress, type IpRange, rangeContains } from "../../shared/api/ip.ts";
import { isOwn, type Link, linkTo, type Peer } from "./peer.ts";

/** How one node's pods are reached, best first. */
export type PathKind =
  /** They are on this machine: another agent's. */
  | "local"
  /** A route to the node, on a network that both are in. */
  | "direct"
  /** Encapsulated, to a node behind a router. */
  | "vxlan"
  | "none";

export interface Path {
  peer: string;
  kind: PathKind;
  cidr: IpRange;
  /** The node's address; of the range's family if `direct`. */
  via?: IpAddress;
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
}

/** A path for each range of each peer. A range that holds an address of this machine, or meets our own, gets none. */
export function decidePaths({ self, peers, links, encapsulated = new Set() }: PathInputs): Path[] {
  const overlay = self.addresses[0]?.family;
  return peers.flatMap((peer) =>
    peer.podCidrs.map((cidr): Path => {
      const none = (reason: string): Path => ({ peer: peer.name, kind: "none", cidr, reason });
      if (peer.addresses.length === 0) return none("the node has no address");
      if (peer.addresses.some((ip) => isOwn(links, ip))) return { peer: peer.name, kind: "local", cidr };
      if (self.podCidrs.some((own) => overlaps(own, cidr))) return none("its range is this node's own");
      if (links.some(({ addresses }) => addresses.some((own) => rangeContains(cidr, toIp(own))))) {
        return none("its range holds an address of this machine");
      }
      const near = peer.addresses.find((ip) => ip.family === cidr.family && linkTo(links, ip)?.isEthernet);
      if (near && !encapsulated.has(peer.name)) return { peer: peer.name, kind: "direct", cidr, via: near };
      const via = peer.addresses.find(({ family }) => family === overlay);
      if (!via) return none("the nodes have no addresses of one family");
      return { peer: peer.name, kind: "vxlan", cidr, via };
    }),
  );
}

const toIp = ({ family, address }: IpRange): IpAddress => ({ family, value: address, mapped: false });

function overlaps(a: IpRange, b: IpRange): boolean {
  if (a.family !== b.family) return false;
  const [wide, narrow] = a.prefixLength <= b.prefixLength ? [a, b] : [b, a];
  return rangeContains(wide, { family: narrow.family, value: narrow.first, mapped: false });
}

/** A node's pods as a whole are reached as its worst range is. */
const ORDER: PathKind[] = ["none", "vxlan", "direct", "local"];
export function worstKinds(paths: readonly Path[]): Map<string, PathKind> {
  const kinds = new Map<string, PathKind>();
  for (const { peer, kind } of paths) {
    const known = kinds.get(peer);
    if (known === undefined || ORDER.indexOf(kind) < ORDER.indexOf(known)) kinds.set(peer, kind);
  }
  return kinds;
}
