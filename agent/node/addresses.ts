import { readFileSync } from "node:fs";
import os, { type NetworkInterfaceInfo } from "node:os";
import { parseCidr, parseIp, printIp, rangeContains } from "../../shared/api/ip.ts";
import { isAnnounced } from "./announced.ts";

export interface AddressInputs {
  /** As the user named them (`--node-ip`): then nothing else counts. */
  nodeIps?: readonly string[] | undefined;
  /** The ranges of the node's pods: with two families of them the node tells an address of each. */
  podCidrs: readonly string[];
  /** The cluster's: its address comes first. */
  primaryFamily: 4 | 6;
  interfaces: NodeJS.Dict<Pick<NetworkInterfaceInfo, "address" | "family" | "internal">[]>;
  /** The texts of /proc/net/route, /proc/net/ipv6_route and /proc/net/if_inet6; empty where the kernel has none. */
  routes: string;
  routes6: string;
  addresses6: string;
}

/**
 * The node's addresses, the primary one first: that of the default route's interface, as the kubelet chooses; loopback only
 * when there is nothing else. A second one is of the other family, for a node that has pods of both.
 */
export function chooseAddresses(inputs: AddressInputs): string[] {
  if (inputs.nodeIps && inputs.nodeIps.length > 0) return [...inputs.nodeIps];
  const ipv4 = usableOn(inputs, defaultInterface(inputs.routes), "IPv4")[0];
  const volatile = volatileAddresses(inputs.addresses6);
  const ipv6 = usableOn(inputs, defaultInterface6(inputs.routes6), "IPv6").find((address) => !volatile.has(address));
  const families = new Set(inputs.podCidrs.map((cidr) => (cidr.includes(":") ? "IPv6" : "IPv4")));
  const ordered = (inputs.primaryFamily === 6 ? [ipv6, ipv4] : [ipv4, ipv6]).filter((address) => address !== undefined);
  const addresses = families.size > 1 ? ordered : ordered.slice(0, 1);
  return addresses.length > 0 ? addresses : ["127.0.0.1"];
}

/** Of the machine as it is now. */
export const readAddresses = (options: Pick<AddressInputs, "nodeIps" | "podCidrs" | "primaryFamily">): string[] =>
  chooseAddresses({
    ...options,
    interfaces: os.networkInterfaces(),
    routes: textOf("/proc/net/route"),
    routes6: textOf("/proc/net/ipv6_route"),
    addresses6: textOf("/proc/net/if_inet6"),
  });

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // a kernel without that family
  }
}

function usableOn({ interfaces }: AddressInputs, preferred: string | undefined, wanted: "IPv4" | "IPv6"): string[] {
  const names = Object.keys(interfaces);
  const ordered = preferred !== undefined && names.includes(preferred) ? [preferred, ...names] : names;
  return ordered
    .flatMap((name) => (isOfPods(name) ? [] : (interfaces[name] ?? [])))
    .filter(({ family, internal }) => family === wanted && !internal)
    .map(({ address }) => address)
    .filter((address) => !address.startsWith("fe80:") && !isAnnounced(address));
}

/** Bridges and veth pairs of pod networks are no way to reach the node. */
const isOfPods = (name: string) => /^(veth|hearth|cni|docker)/.test(name);

const defaultInterface = (routes: string) => /^(\S+)\t00000000\t/m.exec(routes)?.[1];

const UP_AND_GATEWAY = 0x3;

/** Columns: destination, prefix, source, prefix, next hop, metric, references, use, flags, interface. */
function defaultInterface6(routes: string): string | undefined {
  const defaults = routes
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([to = "", prefix, , , , , , , flags = ""]) => /^0+$/.test(to) && prefix === "00" && isGateway(flags))
    .sort((a, b) => (a[5]! < b[5]! ? -1 : 1));
  return defaults[0]?.[9];
}
const isGateway = (flags: string) => (Number.parseInt(flags, 16) & UP_AND_GATEWAY) === UP_AND_GATEWAY;

/** Linux' IFA_F_TEMPORARY, DADFAILED, DEPRECATED and TENTATIVE. */
const VOLATILE = 0x01 | 0x08 | 0x20 | 0x40;

/** Those that will be gone soon or cannot be used yet. Columns: address, index, prefix, scope, flags, interface. */
function volatileAddresses(table: string): Set<string> {
  const found = new Set<string>();
  for (const line of table.split("\n")) {
    const [digits = "", , , , flags = "0"] = line.trim().split(/\s+/);
    if (digits.length !== 32 || !(Number.parseInt(flags, 16) & VOLATILE)) continue;
    found.add(printIp({ family: 6, value: BigInt(`0x${digits}`) }));
  }
  return found;
}

const UNUSABLE = ["0.0.0.0/32", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "::/127", "fe80::/10", "ff00::/8"].map(
  (cidr) => parseCidr(cidr)!,
);

/**
 * Reads `--node-ip`: one address, or one of each family.
 * @returns in canonical form
 * @throws RangeError that says what is wrong
 */
export function parseNodeIps(text: string): string[] {
  const ips = text.split(",").map((part) => {
    const ip = parseIp(part.trim());
    if (!ip || ip.mapped) throw new RangeError(`"${part.trim()}" is not a valid IP address`);
    if (UNUSABLE.some((range) => rangeContains(range, ip))) {
      throw new RangeError(`${printIp(ip)} cannot be the address of a node`);
    }
    return ip;
  });
  if (ips.length > 2 || (ips.length === 2 && ips[0]!.family === ips[1]!.family)) {
    throw new RangeError("must contain either a single IP or a dual-stack pair of IPs");
  }
  return ips.map(printIp);
}
