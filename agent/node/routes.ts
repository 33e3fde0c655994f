import { readFileSync } from "node:fs";
import { parseCidr, printCidr, rangeContains } from "../../shared/api/ip.ts";

/**
 * Where a node tells, as it registers, which ranges of addresses its machine already reaches: a LAN, another cluster's
 * pods. node-ipam gives it another one for its own pods. Ranges as in `10.244.0.0/24`, with commas between.
 */
export const ROUTES_ANNOTATION = "hearth.dev/routes";
/** A home has a handful; a router with thousands has no place for a node's pods in them anyway. */
const MAX_ROUTES = 32;
const UP = 0x1;

/** The machine's routes but the default ones and those of `ownInterface`, which is this node's own pod network. */
export const readRoutes = (ownInterface: string): string[] => [
  ...parseRoutes(textOf("/proc/net/route"), ownInterface),
  ...parseRoutes6(textOf("/proc/net/ipv6_route"), ownInterface),
];

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // a kernel without that family
  }
}

/** @param table the text of /proc/net/route: hexadecimal, in the machine's own byte order (little endian) */
export function parseRoutes(table: string, ownInterface: string): string[] {
  const routes = new Set<string>();
  for (const line of table.split("\n").slice(1)) {
    const [name, destination = "", , flags = "0", , , , mask = ""] = line.split("\t");
    const prefix = ones(mask);
    if (!name || name === ownInterface || prefix === 0 || !(Number.parseInt(flags, 16) & UP)) continue;
    routes.add(`${dotted(destination)}/${prefix}`);
  }
  return [...routes].slice(0, MAX_ROUTES);
}

/** Of link-local addresses and multicast, which every interface has. */
const EVERYWHERE = ["fe80::/10", "ff00::/8"].map((cidr) => parseCidr(cidr)!);
const REJECT = 0x200;

/** @param table the text of /proc/net/ipv6_route; single addresses are left out */
export function parseRoutes6(table: string, ownInterface: string): string[] {
  const routes = new Set<string>();
  for (const line of table.split("\n")) {
    const [digits = "", prefix = "", , , , , , , flags = "0", name = ""] = line.trim().split(/\s+/);
    const prefixLength = Number.parseInt(prefix, 16);
    const set = Number.parseInt(flags, 16);
    const isPlain =
      digits.length === 32 && prefixLength > 0 && prefixLength < 128 && (set & UP) !== 0 && !(set & REJECT);
    if (!isPlain || name === "lo" || name === ownInterface) continue;
    const ip = { family: 6 as const, value: BigInt(`0x${digits}`), mapped: false };
    if (EVERYWHERE.some((range) => rangeContains(range, ip))) continue;
    routes.add(printCidr({ family: 6, first: ip.value, prefixLength }));
  }
  return [...routes].slice(0, MAX_ROUTES);
}

const bytesOf = (hex: string) => (hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).reverse();
const dotted = (hex: string) => bytesOf(hex).join(".");
const ones = (hex: string) =>
  bytesOf(hex)
    .map((byte) => byte.toString(2).replaceAll("0", "").length)
    .reduce((sum, bits) => sum + bits, 0);
