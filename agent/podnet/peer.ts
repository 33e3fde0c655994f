import { type IpAddress, type IpRange, parseCidr, parseIp, printIp, rangeContains } from "../../shared/api/ip.ts";
import type { Node } from "../../shared/api/types.ts";
import { OFFER_ANNOTATION } from "../../shared/api/wireguard-offer.ts";
import { isNobodys, isPublic, type Place, SITE_LABEL } from "./site.ts";
import { type Offer, parseOffer, type Refusal } from "./wireguard/offer.ts";

/** What the way to a node depends on. */
export interface Peer extends Place {
  name: string;
  /** Its InternalIPs, the first of each family first. */
  addresses: IpAddress[];
  podCidrs: IpRange[];
  /** Absent: it had no need to tell yet. */
  wireguard?: Offer | Refusal;
}

/** On a Node, by its agent: under which address of the internet the control plane sees it, or that it is none. */
export const PUBLIC_ADDRESS_ANNOTATION = "hearth.dev/public-address";
const NOT_PUBLIC = "none";

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
  const seen = parseSeen(metadata?.annotations?.[PUBLIC_ADDRESS_ANNOTATION]);
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
    ...seen,
    ...(wireguard && { wireguard }),
  };
}

type Seen = Pick<Place, "isSeen" | "publicAddress">;

/** @param address as the control plane, or the annotation, tells it; nothing is told by what is neither an address nor "none" */
export function parseSeen(address: string | undefined): Seen {
  if (address === NOT_PUBLIC) return { isSeen: true };
  const ip = parseIp(address ?? "");
  return ip ? { isSeen: true, ...(isPublic(ip) && { publicAddress: ip }) } : {};
}

/** The annotation's value; undefined: it is not to be there. */
export const printSeen = ({ isSeen, publicAddress }: Seen): string | undefined =>
  publicAddress ? printIp(publicAddress) : isSeen ? NOT_PUBLIC : undefined;

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
