import { type IpAddress, type IpRange, parseCidr, parseIp, rangeContains } from "../../shared/api/ip.ts";
import type { Node } from "../../shared/api/types.ts";
import { isNobodys, isPublic, type Place, SITE_LABEL } from "./site.ts";
import { OFFER_ANNOTATION, type Offer, parseOffer } from "./wireguard/offer.ts";

/** What the way to a node depends on. */
export interface Peer extends Place {
  name: string;
  /** Its InternalIPs, the first of each family first. */
  addresses: IpAddress[];
  podCidrs: IpRange[];
  /** Absent: it has no WireGuard, or no need of it yet. */
  wireguard?: Offer;
}

/** On a Node, by its agent: under which address the control plane sees it, if that is one of the internet. */
export const PUBLIC_ADDRESS_ANNOTATION = "hearth.dev/public-address";

/** An interface of this machine, as far as nodes can be reached over it. */
export interface Link {
  name: string;
  mtu: number;
  /** Whether frames go over it: what is told by address alone (a VPN's interface) passes no packets of pods on. */
  isEthernet: boolean;
  /** With the prefix of the network that it is in. */
  addresses: IpRange[];
}

/** A node's own range is never so large that it holds the networks around it. */
const SHORTEST_PREFIX = { 4: 8, 6: 16 } as const;

/** Of one node; what others write into theirs must not keep this machine busy. */
const MAX_ADDRESSES = 16;

/** What is wrong in a Node is left out: one that has no usable address or no range yet is a peer without them. */
export function peerOf({ metadata, spec, status }: Node): Peer {
  const cidrs = spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
  const addresses = (status?.addresses ?? []).filter(({ type }) => type === "InternalIP");
  const site = metadata?.labels?.[SITE_LABEL];
  const publicAddress = parseIp(metadata?.annotations?.[PUBLIC_ADDRESS_ANNOTATION] ?? "");
  const wireguard = parseOffer(metadata?.annotations?.[OFFER_ANNOTATION] ?? "");
  return {
    name: metadata?.name ?? "",
    addresses: addresses
      .map(({ address }) => parseIp(address))
      .filter((ip) => ip !== undefined && !isNobodys(ip))
      .slice(0, MAX_ADDRESSES) as IpAddress[],
    podCidrs: cidrs
      .map(parseCidr)
      .filter((cidr) => cidr && cidr.prefixLength >= SHORTEST_PREFIX[cidr.family]) as IpRange[],
    ...(site !== undefined && { site }),
    ...(publicAddress && isPublic(publicAddress) && { publicAddress }),
    ...(wireguard && { wireguard }),
  };
}

/** Of the bridge that a node's pods of this range hang on: the second address of the range. */
export const bridgeAddress = ({ family, first }: IpRange): IpAddress => ({ family, value: first + 1n, mapped: false });

/** The interface in whose network an address is; the most exact one. Undefined: it is behind a router. */
export function linkTo(links: readonly Link[], ip: IpAddress): Link | undefined {
  let best: { link: Link; prefixLength: number } | undefined;
  for (const link of links) {
    for (const range of link.addresses) {
      if (rangeContains(range, ip) && range.prefixLength > (best?.prefixLength ?? -1)) {
        best = { link, prefixLength: range.prefixLength };
      }
    }
  }
  return best?.link;
}

/** Whether an address is this machine's own. */
export const isOwn = (links: readonly Link[], { family, value }: IpAddress): boolean =>
  links.some(({ addresses }) => addresses.some((own) => own.family === family && own.address === value));
