import { invalidValue } from "../../../../shared/api/field-error.ts";
import { parseCidr, parseIp, printIp, rangeContains } from "../../../../shared/api/ip.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Service } from "../../../../shared/api/types.ts";
import type { AllocationContext } from "../strategy.ts";
import { checkClusterIps } from "./service-cluster-ips.ts";
import { needsClusterIp, needsHealthCheckPort, needsNodePorts } from "./service-fields.ts";

export const SERVICE_CIDR = "10.96.0.0/16";
const FIRST_ADDRESS = parseIp("10.96.0.0")?.value ?? 0n;
/**
 * Automatic addresses come from the upper band, so that fixed ones (10.96.0.1, DNS) stay free: min(max(16, size/16),
 * 256) addresses are kept apart (KEP-3070).
 */
const STATIC_ADDRESSES = 256;
const LAST_OFFSET = 65_534;

const FIRST_NODE_PORT = 30_000;
const LAST_NODE_PORT = 32_767;
/** min(max(16, size/32), 128) ports are kept apart for fixed ones (KEP-3668). */
const STATIC_NODE_PORTS = 86;
/** Draws before the search goes on in order: a nearly full range must end too. */
const RANDOM_DRAWS = 64;

const ipClaim = (ip: string) => `ip/${ip}`;
const nodePortClaim = (protocol: string, port: number) => `nodePort/${protocol}/${port}`;

/** What no two services may hold. Node ports of one number are shared by ports of different protocols of one service only. */
export function serviceClaims({ spec }: Service): string[] {
  const claims: string[] = [];
  if (spec.type !== "ExternalName") {
    for (const ip of spec.clusterIPs ?? []) if (ip !== "None") claims.push(ipClaim(ip));
  }
  for (const { nodePort, protocol } of spec.ports ?? []) {
    if (nodePort) claims.push(nodePortClaim(protocol ?? "TCP", nodePort));
  }
  if (spec.healthCheckNodePort) claims.push(nodePortClaim("TCP", spec.healthCheckNodePort));
  return [...new Set(claims)];
}

/** A free number of a range: at random in its upper band, else the first one left. Undefined: none is. */
function draw(
  { random }: AllocationContext,
  range: { first: number; dynamic: number; last: number },
  isTaken: (candidate: number) => boolean,
): number | undefined {
  for (let tries = 0; tries < RANDOM_DRAWS; tries++) {
    const candidate = range.dynamic + Math.floor(random() * (range.last - range.dynamic + 1));
    if (!isTaken(candidate)) return candidate;
  }
  for (let candidate = range.dynamic; candidate <= range.last; candidate++) if (!isTaken(candidate)) return candidate;
  for (let candidate = range.first; candidate < range.dynamic; candidate++) if (!isTaken(candidate)) return candidate;
  return undefined;
}

const POLICY = "spec.ipFamilyPolicy";

/** Fills in families and policy of a cluster that has IPv4 addresses only. */
function initIpFamilies(service: Service, old: Service | undefined): StatusCause[] {
  const { spec } = service;
  const selectorless = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? (selectorless ? "RequireDualStack" : "SingleStack");
  const wrong = checkClusterIps(service, old);
  if (wrong.length > 0) return wrong;
  const causes: StatusCause[] = [];
  const policy = spec.ipFamilyPolicy;
  if (policy === "SingleStack") {
    const rule = (what: string) =>
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    if (spec.clusterIPs?.length === 2) causes.push(invalidValue(POLICY, policy, rule("cluster IPs")));
    if (spec.ipFamilies?.length === 2) causes.push(invalidValue(POLICY, policy, rule("IP families")));
  }
  const families = [...(spec.ipFamilies ?? [])];
  for (const [index, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === "None" || index < families.length) continue;
    if (parseIp(ip)?.family === 4) families.push("IPv4");
    else {
      causes.push(invalidValue(`spec.clusterIPs[${index}]`, spec.clusterIPs, "IPv6 is not configured on this cluster"));
    }
  }
  if (causes.length > 0) return causes;
  if (selectorless) {
    if (families.length === 0) families.push("IPv4");
    if (families.length < 2 && policy !== "SingleStack") families.push(families[0] === "IPv4" ? "IPv6" : "IPv4");
    spec.ipFamilies = families;
    return [];
  }
  if (policy === "RequireDualStack") {
    causes.push(invalidValue(POLICY, policy, "this cluster is not configured for dual-stack services"));
  }
  for (const [index, family] of families.entries()) {
    if (family !== "IPv4") {
      causes.push(invalidValue(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
    }
  }
  if (families.length === 0) families.push("IPv4");
  spec.ipFamilies = families;
  return causes;
}

function allocateClusterIp(service: Service, old: Service | undefined, context: AllocationContext): StatusCause[] {
  const { spec } = service;
  if (spec.clusterIP === "None" || !needsClusterIp(service)) return [];
  const asked = spec.clusterIPs?.[0] ?? "";
  if (asked !== "") {
    if (old?.spec.clusterIPs?.includes(asked)) return [];
    const refuse = (why: string) => [
      invalidValue("spec.clusterIPs", spec.clusterIPs, `failed to allocate IP ${asked}: ${why}`),
    ];
    const ip = parseIp(asked);
    const range = parseCidr(SERVICE_CIDR);
    const offset = ip ? Number(ip.value - FIRST_ADDRESS) : 0;
    if (!ip || !range || !rangeContains(range, ip) || offset < 1 || offset > LAST_OFFSET) {
      return refuse(`the provided IP (${asked}) is not in the valid range. The range of valid IPs is ${SERVICE_CIDR}`);
    }
    return context.taken.has(ipClaim(asked)) ? refuse("provided IP is already allocated") : [];
  }
  if (context.dryRun) {
    spec.clusterIP = printIp({ family: 4, value: FIRST_ADDRESS });
    spec.clusterIPs = [spec.clusterIP];
    return [];
  }
  const print = (offset: number) => printIp({ family: 4, value: FIRST_ADDRESS + BigInt(offset) });
  const offset = draw(context, { first: 1, dynamic: STATIC_ADDRESSES + 1, last: LAST_OFFSET }, (candidate) =>
    context.taken.has(ipClaim(print(candidate))),
  );
  if (offset === undefined) return [invalidValue("spec.clusterIPs", [""], "failed to allocate IP: range is full")];
  spec.clusterIP = print(offset);
  spec.clusterIPs = [spec.clusterIP];
  return [];
}

const PORT_RANGE_TEXT = `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${LAST_NODE_PORT}`;

function allocateNodePorts(service: Service, old: Service | undefined, context: AllocationContext): StatusCause[] {
  const { spec } = service;
  const held = new Set([...(old ? serviceClaims(old) : [])]);
  const own = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort ?? 0));
  const isTaken = (port: number) =>
    own.has(port) || PROTOCOLS.some((protocol) => context.taken.has(nodePortClaim(protocol, port)));
  const next = () =>
    draw(
      context,
      { first: FIRST_NODE_PORT, dynamic: FIRST_NODE_PORT + STATIC_NODE_PORTS, last: LAST_NODE_PORT },
      isTaken,
    );
  const causes: StatusCause[] = [];
  const ports = spec.type === "NodePort" || spec.type === "LoadBalancer" ? (spec.ports ?? []) : [];
  const byServicePort = new Map<number, number>();
  for (const { port, nodePort } of ports) if (nodePort && !byServicePort.has(port)) byServicePort.set(port, nodePort);
  for (const [index, port] of ports.entries()) {
    const protocol = port.protocol ?? "TCP";
    if (port.nodePort) {
      if (held.has(nodePortClaim(protocol, port.nodePort))) continue;
      const field = `spec.ports[${index}].nodePort`;
      if (port.nodePort < FIRST_NODE_PORT || port.nodePort > LAST_NODE_PORT) {
        causes.push(invalidValue(field, port.nodePort, PORT_RANGE_TEXT));
      } else if (context.taken.has(nodePortClaim(protocol, port.nodePort))) {
        causes.push(invalidValue(field, port.nodePort, "provided port is already allocated"));
      }
      continue;
    }
    if (!needsNodePorts(service)) continue;
    // One number serves a port of two protocols (DNS over TCP and UDP).
    const chosen = byServicePort.get(port.port) ?? next();
    if (chosen === undefined) {
      causes.push(invalidValue(`spec.ports[${index}].nodePort`, 0, "range is full"));
      continue;
    }
    port.nodePort = chosen;
    own.add(chosen);
    byServicePort.set(port.port, chosen);
  }
  if (needsHealthCheckPort(service) && !spec.healthCheckNodePort) {
    const chosen = next();
    if (chosen !== undefined) spec.healthCheckNodePort = chosen;
  }
  return causes;
}

const PROTOCOLS = ["TCP", "UDP", "SCTP"];

/**
 * Gives a service the addresses and ports that it needs and has not named. Runs before validation, on the object as it
 * was sent; when the store says that a claim is held, add it to `context.taken` and begin again from that object.
 * @returns causes when what was asked for by name cannot be had
 */
export function allocateService(service: Service, old: Service | undefined, context: AllocationContext): StatusCause[] {
  if (needsClusterIp(service)) {
    const causes = initIpFamilies(service, old);
    if (causes.length === 0) causes.push(...allocateClusterIp(service, old, context));
    if (causes.length > 0) return causes;
  }
  return allocateNodePorts(service, old, context);
}
