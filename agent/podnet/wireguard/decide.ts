import type { Peer } from "../peer.ts";
import type { Endpoint } from "./endpoint.ts";

/** Whether two nodes can speak WireGuard with each other; both come to the same answer. */
export type Tunnelling =
  | {
      isPossible: true;
      /** Absent: the other node has to speak first. */
      endpoint?: Endpoint;
    }
  | {
      isPossible: false;
      reason: string;
      /** One of them has not told yet, which it does as soon as it knows of the other. */
      isUndecided?: boolean;
    };

/** @param twice public keys that more than one node has */
export function decideTunnel(self: Peer, peer: Peer, twice: ReadonlySet<string>): Tunnelling {
  const no = (reason: string): Tunnelling => ({ isPossible: false, reason });
  const own = self.wireguard;
  const other = peer.wireguard;
  if (!own || !other) {
    const which = own ? "the other node" : "this node";
    return { isPossible: false, isUndecided: true, reason: `${which} has not told yet whether it has WireGuard` };
  }
  if ("without" in own) return no(own.without);
  if ("without" in other) return no("the other node offers no WireGuard");
  if ([own, other].some(({ publicKey }) => twice.has(publicKey))) return no("several nodes have one WireGuard key");
  const endpoint = other.endpoints.find((each) => speaks(self, each));
  const isFound = endpoint !== undefined || own.endpoints.some((each) => speaks(peer, each));
  if (!isFound) return no("both nodes are behind NAT");
  return { isPossible: true, ...(endpoint && { endpoint }) };
}

const speaks = ({ addresses }: Peer, { address }: Endpoint) =>
  addresses.some(({ family }) => family === address.family);
