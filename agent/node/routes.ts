import { readFileSync } from "node:fs";

/**
 * Where a node tells, as it registers, which ranges of addresses its machine already reaches: a LAN, another cluster's
 * pods. node-ipam gives it another one for its own pods. Ranges as in `10.244.0.0/24`, with commas between.
 */
export const ROUTES_ANNOTATION = "hearth.dev/routes";
/** A home has a handful; a router with thousands has no place for a node's pods in them anyway. */
const MAX_ROUTES = 32;
const UP = 0x1;

/** The machine's IPv4 routes but the default one and those of `ownInterface`, which is this node's own pod network. */
export function readRoutes(ownInterface: string): string[] {
  try {
    return parseRoutes(readFileSync("/proc/net/route", "utf8"), ownInterface);
  } catch {
    return []; // a kernel without IPv4
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

const bytesOf = (hex: string) => (hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).reverse();
const dotted = (hex: string) => bytesOf(hex).join(".");
const ones = (hex: string) =>
  bytesOf(hex)
    .map((byte) => byte.toString(2).replaceAll("0", "").length)
    .reduce((sum, bits) => sum + bits, 0);
