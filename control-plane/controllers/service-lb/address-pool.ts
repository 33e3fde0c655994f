import { parseCidr, parseIp, printIp } from "../../../shared/api/ip.ts";

/** Addresses from the first to the last, both included. */
export interface AddressRange {
  family: 4 | 6;
  first: bigint;
  last: bigint;
}

/** Addresses that Services may be given. */
export interface AddressPool {
  name: string;
  ranges: AddressRange[];
  /** Whether also Services get one that do not ask for this pool. */
  autoAssign: boolean;
}

export type IpFamily = "IPv4" | "IPv6";

const SIZE = { 4: 32n, 6: 128n } as const;
const NUMBER = { IPv4: 4, IPv6: 6 } as const;

/** Reads `192.0.2.8-192.0.2.15`, `192.0.2.8/29` or one address; undefined if it is neither, or runs backwards. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const cidr = parseCidr(text.trim());
  if (cidr) {
    const hosts = SIZE[cidr.family] - BigInt(cidr.prefixLength);
    return { family: cidr.family, first: cidr.first, last: cidr.first + (1n << hosts) - 1n };
  }
  const [from = "", to = from, more] = text.split("-").map((part) => part.trim());
  const [first, last] = [parseIp(from), parseIp(to)];
  if (!first || !last || more !== undefined || first.family !== last.family || first.value > last.value)
    return undefined;
  return { family: first.family, first: first.value, last: last.value };
}

/** Whether a pool has the address. */
export function poolHas({ ranges }: AddressPool, address: string): boolean {
  const ip = parseIp(address);
  if (!ip) return false;
  return ranges.some(({ family, first, last }) => family === ip.family && first <= ip.value && ip.value <= last);
}

/** @returns undefined of what is no address */
export function familyOf(address: string): IpFamily | undefined {
  const ip = parseIp(address);
  return ip && (ip.family === 4 ? "IPv4" : "IPv6");
}

/** The pool's first address of a family that is not taken: looks at no more than one beyond those that are. */
export function firstFree({ ranges }: AddressPool, family: IpFamily, isTaken: (ip: string) => boolean) {
  for (const range of ranges) {
    if (range.family !== NUMBER[family]) continue;
    for (let value = range.first; value <= range.last; value++) {
      const ip = printIp({ family: range.family, value });
      if (!isTaken(ip)) return ip;
    }
  }
  return undefined;
}
