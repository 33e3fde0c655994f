/** An address as a number; 4in6 addresses (`::ffff:10.0.0.1`) count as IPv4, as they do in Go's net package. */
export interface IpAddress {
  family: 4 | 6;
  value: bigint;
  /** It was written in IPv6 form though it is an IPv4 address. */
  mapped: boolean;
}

const MAPPED_PREFIX = 0xffffn << 32n;

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    // Leading zeros were once accepted by the API and still are in old fields.
    if (!/^[0-9]{1,10}$/.test(part) || Number(part) > 255) return undefined;
    value = (value << 8n) | BigInt(Number(part));
  }
  return value;
}

function parseIpv6(text: string): bigint | undefined {
  if (!/^[0-9a-fA-F:.]+$/.test(text)) return undefined;
  let rest = text;
  const tail = /^(.*:)([0-9.]+\.[0-9.]+)$/.exec(text);
  if (tail) {
    const low = parseIpv4(tail[2] ?? "");
    if (low === undefined) return undefined;
    rest = `${tail[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`;
  }
  const halves = rest.split("::");
  if (halves.length > 2) return undefined;
  const groupsOf = (half: string | undefined) => (half ? half.split(":") : []);
  const head = groupsOf(halves[0]);
  const end = groupsOf(halves[1]);
  const missing = 8 - head.length - end.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array<string>(halves.length === 2 ? missing : 0).fill("0"), ...end];
  let value = 0n;
  for (const group of groups) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
    value = (value << 16n) | BigInt(`0x${group}`);
  }
  return value;
}

/** Reads an address; undefined if it is none. Leading zeros in IPv4 are let through, zones are not. */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(":")) {
    const value = parseIpv4(text);
    return value === undefined ? undefined : { family: 4, value, mapped: false };
  }
  const value = parseIpv6(text);
  if (value === undefined) return undefined;
  if (value >> 32n === MAPPED_PREFIX >> 32n) return { family: 4, value: value & 0xffffffffn, mapped: true };
  return { family: 6, value, mapped: false };
}

/** The canonical form (RFC 5952 for IPv6). */
export function printIp({ family, value }: Pick<IpAddress, "family" | "value">): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(112 - index * 16)) & 0xffffn));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = (list: number[]) => list.map((group) => group.toString(16)).join(":");
  if (best.start < 0) return hex(groups);
  return `${hex(groups.slice(0, best.start))}::${hex(groups.slice(best.start + best.length))}`;
}

export interface IpRange {
  family: 4 | 6;
  /** The address as written, bits beyond the prefix included. */
  address: bigint;
  /** The first address of the range. */
  first: bigint;
  prefixLength: number;
  mapped: boolean;
}

/** Reads `10.96.0.0/16`; undefined if it is no CIDR. */
export function parseCidr(text: string): IpRange | undefined {
  const [addressText = "", lengthText = "", more] = text.split("/");
  const ip = parseIp(addressText);
  if (!ip || more !== undefined || !/^[0-9]{1,3}$/.test(lengthText)) return undefined;
  const bits = ip.mapped ? 128 : ip.family === 4 ? 32 : 128;
  if (Number(lengthText) > bits) return undefined;
  const prefixLength = ip.mapped ? Math.max(Number(lengthText) - 96, 0) : Number(lengthText);
  const size = ip.family === 4 ? 32 : 128;
  const hostBits = BigInt(size - prefixLength);
  return {
    family: ip.family,
    address: ip.value,
    first: (ip.value >> hostBits) << hostBits,
    prefixLength,
    mapped: ip.mapped,
  };
}

export const printCidr = ({ family, first, prefixLength }: Subnet) =>
  `${printIp({ family, value: first })}/${prefixLength}`;

/** Whether two ranges are of one family, and one of them holds the other. */
export function rangesOverlap(a: Subnet, b: Subnet): boolean {
  if (a.family !== b.family) return false;
  const bits = BigInt((a.family === 4 ? 32 : 128) - Math.min(a.prefixLength, b.prefixLength));
  return a.first >> bits === b.first >> bits;
}

/** A range without the address that it was written by. */
export type Subnet = Pick<IpRange, "family" | "first" | "prefixLength">;

/** Whether a range holds an address of its family. */
export function rangeContains(range: IpRange, ip: IpAddress): boolean {
  const hostBits = BigInt((range.family === 4 ? 32 : 128) - range.prefixLength);
  return range.family === ip.family && range.first >> hostBits === ip.value >> hostBits;
}
