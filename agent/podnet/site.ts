import { type IpAddress, parseCidr, printCidr, printIp, rangeContains } from "../../shared/api/ip.ts";

/** What tells where a node is; a part of `Peer`. */
export interface Place {
  /** Its InternalIPs. */
  addresses: readonly IpAddress[];
  /** As somebody has named its site (SITE_LABEL). */
  site?: string;
  /** The address that the control plane sees it come from, if that is one of the internet. */
  publicAddress?: IpAddress;
  /** The control plane has seen it, whether by an address of the internet or not: before that, nobody knows where it is. */
  isSeen?: boolean;
}

/** Nodes with the same value reach each other by their addresses; those with another one, or none, do not. */
export const SITE_LABEL = "hearth.dev/site";

/**
 * Whether two nodes are at different sites, so that addresses of a private network mean nothing between them.
 * `label`: somebody has said so. `address`: the control plane sees them come from different places of the internet, which
 * a network with several ways out may do as well. Undefined: nothing speaks for it.
 */
export function apartBy(one: Place, other: Place): "label" | "address" | undefined {
  if (one.site !== undefined || other.site !== undefined) return one.site === other.site ? undefined : "label";
  return originOf(one) === originOf(other) ? undefined : "address";
}

/** What providers give one customer at least (RFC 6177): within it IPv6 tells no sites apart. */
const SITE_PREFIX_6 = 56;

function originOf({ publicAddress, addresses }: Place): string | undefined {
  // Of IPv6 every machine has its own; it tells nothing unless the control plane has seen it.
  const from = publicAddress ?? addresses.find((ip) => ip.family === 4 && isPublic(ip));
  if (from?.family !== 6) return from && printIp(from);
  const range = parseCidr(`${printIp(from)}/${SITE_PREFIX_6}`);
  return range && printCidr(range);
}

/** Whether a router is known to put its own address in the place of the node's. */
export const isBehindNat = ({ publicAddress, addresses }: Place): boolean =>
  publicAddress !== undefined &&
  !addresses.some((ip) => ip.family === publicAddress.family && ip.value === publicAddress.value);

const rangesOf = (...cidrs: string[]) => cidrs.map((cidr) => parseCidr(cidr)!);
/** RFC 1918, RFC 6598 (providers' own NAT), RFC 4193. */
const PRIVATE = rangesOf("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7");
const NOBODYS = rangesOf(
  ...["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"],
  ...["::/127", "fe80::/10", "ff00::/8"],
);

/** Whether no node can be reached by it: of one machine or link, of many, or unspecified. */
export const isNobodys = (ip: IpAddress): boolean => NOBODYS.some((range) => rangeContains(range, ip));

export const isPrivate = (ip: IpAddress): boolean => PRIVATE.some((range) => rangeContains(range, ip));

/** Whether it may be somebody's address on the internet. */
export const isPublic = (ip: IpAddress): boolean => !ip.mapped && !isPrivate(ip) && !isNobodys(ip);
