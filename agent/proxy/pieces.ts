import { hash } from "node:crypto";
import { parseCidr, parseIp, rangeContains } from "../../shared/api/ip.ts";
import type { Choice, Endpoint } from "./endpoints.ts";
import { type Family, isExternallyAccessible, type ServicePort } from "./service-port.ts";

/** An entry of a set or map; `value` of a map alone. Sets are shared by Services: an address counts once for all its ports. */
export interface Element {
  set: SetName;
  key: string;
  value?: string;
}

export type SetName =
  | "cluster-ips"
  | "service-ips"
  | "service-nodeports"
  | "no-endpoint-services"
  | "no-endpoint-nodeports"
  | "firewall-ips"
  | "hairpin-connections";

/** What a Service adds to the table, or one port of it. */
export interface Piece {
  /** The rules of its chains, by name. */
  chains: Map<string, string[]>;
  /** Sets that remember clients, by name: for how many seconds. */
  affinitySets: Map<string, number>;
  elements: Element[];
}

export interface PieceOptions {
  family: Family;
  /** The addresses of this node's pods: what comes from elsewhere is masqueraded. */
  podCidrs: readonly string[];
  /** This node's address of the family. */
  nodeIp: string | undefined;
}

/** Bit 14 of a packet's mark, as kube-proxy uses it by default. */
export const MASQUERADE_MARK = "0x4000";
export const MASQUERADE = `mark set mark or ${MASQUERADE_MARK}`;

/** nft takes 128 characters; the hash keeps what is cut apart. */
const MAX_NAME = 120;
const REJECT = "goto reject-chain";

export const emptyPiece = (): Piece => ({ chains: new Map(), affinitySets: new Map(), elements: [] });

/** Adds all that the table needs for one port of a Service, given the endpoints that were chosen for this node. */
export function addPort(piece: Piece, port: ServicePort, choice: Choice, options: PieceOptions): void {
  const protocol = port.protocol.toLowerCase();
  const names = chainNames(port);
  const { cluster, local, hasAny } = choice;
  const hasInternal = port.isInternalLocal ? local.length > 0 : cluster.length > 0;
  const hasExternal = port.isExternalLocal ? local.length > 0 : cluster.length > 0;

  if (cluster.length > 0) piece.chains.set(names.cluster, toEndpoints(port, cluster, options));
  if (local.length > 0) piece.chains.set(names.local, toEndpoints(port, local, options));
  if (port.affinitySeconds !== undefined) addAffinity(piece, port, choice, options);
  for (const { address, port: target } of choice.reachable.filter(({ isLocal }) => isLocal)) {
    piece.elements.push({ set: "hairpin-connections", key: `${address} . ${address} . ${protocol} . ${target}` });
  }

  piece.elements.push({ set: "cluster-ips", key: port.clusterIp });
  const at = (address: string) => `${address} . ${protocol} . ${port.port}`;
  const internal = port.isInternalLocal ? names.local : names.cluster;
  piece.elements.push(
    hasInternal
      ? { set: "service-ips", key: at(port.clusterIp), value: `goto ${internal}` }
      : { set: "no-endpoint-services", key: at(port.clusterIp), value: hasAny ? "drop" : REJECT },
  );
  if (isExternallyAccessible(port)) addExternal(piece, port, { ...options, hasAny, hasExternal });
}

/** Addresses and ports from outside the cluster. */
function addExternal(
  piece: Piece,
  port: ServicePort,
  options: PieceOptions & { hasAny: boolean; hasExternal: boolean },
): void {
  const { hasAny, hasExternal } = options;
  const names = chainNames(port);
  const protocol = port.protocol.toLowerCase();
  const verdict = hasAny ? "drop" : REJECT;
  if (hasAny) piece.chains.set(names.external, externalRules(port, options));
  const addresses = [...new Set([...port.externalIps, ...port.loadBalancerIps])];
  for (const address of addresses) {
    const key = `${address} . ${protocol} . ${port.port}`;
    if (hasAny) piece.elements.push({ set: "service-ips", key, value: `goto ${names.external}` });
    if (!hasExternal) piece.elements.push({ set: "no-endpoint-services", key, value: verdict });
  }
  if (port.nodePort !== 0) {
    const key = `${protocol} . ${port.nodePort}`;
    if (hasAny) piece.elements.push({ set: "service-nodeports", key, value: `goto ${names.external}` });
    if (!hasExternal) piece.elements.push({ set: "no-endpoint-nodeports", key, value: verdict });
  }
  if (port.loadBalancerIps.length === 0 || port.sourceRanges.length === 0) return;
  piece.chains.set(names.firewall, [firewallRule(port, options)]);
  for (const address of port.loadBalancerIps) {
    const key = `${address} . ${protocol} . ${port.port}`;
    piece.elements.push({ set: "firewall-ips", key, value: `goto ${names.firewall}` });
  }
}

/**
 * With the Cluster policy a packet may leave this node again, and must come back by it: it is masqueraded. With Local it
 * keeps the client's address, save what comes from here, which is not bound to the policy: it is as if it went out and
 * came in again.
 */
function externalRules(
  port: ServicePort,
  { family, podCidrs, hasExternal }: PieceOptions & { hasExternal: boolean },
): string[] {
  const names = chainNames(port);
  if (!port.isExternalLocal) return [MASQUERADE, `goto ${names.cluster}`];
  return [
    ...(podCidrs.length > 0 ? [`${family} saddr ${anonymousSet(podCidrs)} goto ${names.cluster}`] : []),
    `fib saddr type local ${MASQUERADE}`,
    `fib saddr type local goto ${names.cluster}`,
    ...(hasExternal ? [`goto ${names.local}`] : []),
  ];
}

function firewallRule(port: ServicePort, { family, nodeIp }: PieceOptions): string {
  const { sourceRanges, loadBalancerIps } = port;
  // A node that has the address on an interface asks from that very address.
  const fromNode =
    nodeIp !== undefined && sourceRanges.some((range) => isInRange(nodeIp, range)) ? loadBalancerIps : [];
  return `${family} saddr != ${anonymousSet([...sourceRanges, ...fromNode])} drop`;
}

/**
 * Each further map without a name takes the kernel longer than the one before, since it looks at all that there are: ten
 * thousand of them took thirteen seconds where as many rules took one. So few endpoints, as most Services have, are drawn by rules.
 */
const MAX_DRAWN_BY_RULES = 8;

/** By lot, evenly: numgen draws for each new connection. */
function toEndpoints(port: ServicePort, endpoints: Endpoint[], { family }: PieceOptions): string[] {
  if (port.affinitySeconds !== undefined) {
    const known = endpoints.map(
      (each) => `${family} saddr @${affinitySet(port, each)} goto ${endpointChain(port, each)}`,
    );
    return [...known, ...draw(endpoints, (each) => `goto ${endpointChain(port, each)}`)];
  }
  const protocol = port.protocol.toLowerCase();
  const count = endpoints.length;
  if (count <= MAX_DRAWN_BY_RULES) {
    return draw(endpoints, (each) => dnat(each, family)).map((rule) => `meta l4proto ${protocol} ${rule}`);
  }
  const lots = endpoints.map(({ address, port: target }, i) => `${i} : ${address} . ${target}`);
  return [
    `meta l4proto ${protocol} dnat ${family} addr . port to numgen random mod ${count} map { ${lots.join(" , ")} }`,
  ];
}

/** The first of n gets one in n, the next one in n - 1 of what is left, the last the rest. */
function draw(endpoints: readonly Endpoint[], to: (endpoint: Endpoint) => string): string[] {
  const count = endpoints.length;
  if (count <= MAX_DRAWN_BY_RULES) {
    return endpoints.map((each, i) => (i === count - 1 ? to(each) : `numgen random mod ${count - i} 0 ${to(each)}`));
  }
  return [`numgen random mod ${count} vmap { ${endpoints.map((each, i) => `${i} : ${to(each)}`).join(" , ")} }`];
}

const dnat = ({ address, port }: Endpoint, family: Family) =>
  `dnat to ${family === "ip6" ? `[${address}]` : address}:${port}`;

function addAffinity(piece: Piece, port: ServicePort, { reachable }: Choice, { family }: PieceOptions): void {
  const protocol = port.protocol.toLowerCase();
  for (const endpoint of reachable) {
    piece.affinitySets.set(affinitySet(port, endpoint), port.affinitySeconds!);
    piece.chains.set(endpointChain(port, endpoint), [
      `update @${affinitySet(port, endpoint)} { ${family} saddr }`,
      `meta l4proto ${protocol} ${dnat(endpoint, family)}`,
    ]);
  }
}

function chainNames(port: ServicePort) {
  const { service, name, protocol } = port;
  const suffix = `${service}/${protocol.toLowerCase()}/${name}`;
  return {
    cluster: named("service", suffix),
    local: named("local", suffix),
    external: named("external", suffix),
    firewall: named("firewall", suffix),
  };
}

const endpointSuffix = ({ service, name, protocol }: ServicePort, { address, port }: Endpoint) =>
  `${service}/${protocol.toLowerCase()}/${name}__${address}/${port}`;

const endpointChain = (port: ServicePort, endpoint: Endpoint) => named("endpoint", endpointSuffix(port, endpoint));

/** The time is part of the name: it cannot be changed on a set that is there. */
const affinitySet = (port: ServicePort, endpoint: Endpoint) =>
  named("affinity", `${endpointSuffix(port, endpoint)}/${port.affinitySeconds}`);

/** By the kinds of chains and sets that Services make, at the beginnings of their names. */
export const SERVICE_CHAIN = /^(service|local|external|firewall|endpoint)-[A-Z2-7]{8}-/;
export const AFFINITY_SET = /^affinity-[A-Z2-7]{8}-/;

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** `service-ULMVA6XW-default/web/tcp/http`: readable, and different for what differs only where it is cut. */
function named(kind: string, suffix: string): string {
  const digest = hash("sha256", suffix, "buffer");
  const mark = Array.from(digest.subarray(0, 8), (byte) => BASE32[byte % 32]).join("");
  // nft's identifiers have no colons, as IPv6 addresses do.
  return `${kind}-${mark}-${suffix.replaceAll(/[^A-Za-z0-9/_.-]/g, ".")}`.slice(0, MAX_NAME);
}

/** nft's intervals overlap when one range holds another: `auto-merge` is for named sets only, so the wider ones are kept. */
function anonymousSet(ranges: readonly string[]): string {
  const kept = ranges.filter(
    (range, i) => !ranges.some((other, j) => i !== j && holds(other, range) && (other !== range || j < i)),
  );
  return `{ ${kept.join(" , ")} }`;
}

function holds(outer: string, inner: string): boolean {
  const [wide, narrow] = [outer, inner].map((text) => parseCidr(text.includes("/") ? text : `${text}/${bitsOf(text)}`));
  if (!wide || !narrow || wide.prefixLength > narrow.prefixLength) return false;
  return rangeContains(wide, { family: narrow.family, value: narrow.first, mapped: false });
}

const bitsOf = (address: string) => (address.includes(":") ? 128 : 32);

function isInRange(address: string, range: string): boolean {
  const [ip, cidr] = [parseIp(address), parseCidr(range)];
  return !!ip && !!cidr && rangeContains(cidr, ip);
}
