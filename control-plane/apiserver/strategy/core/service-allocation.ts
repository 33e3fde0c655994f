import { invalidValue } from "../../../../shared/api/field-error.ts";
import { parseIp } from "../../../../shared/api/ip.ts";
import { internalError, type StatusCause } from "../../../../shared/api/status.ts";
import type { Service } from "../../../../shared/api/types.ts";
import type { AllocationContext } from "../strategy.ts";
import { drawAddress, ipClaim, refuseAddress } from "./service-addresses.ts";
import { checkClusterIps } from "./service-cluster-ips.ts";
import { needsClusterIp } from "./service-fields.ts";
import { allocateNodePorts, nodePortClaim } from "./service-node-ports.ts";

/** What no two services may hold. Only ports of one service share a node port: those of different protocols. */
export function serviceClaims({ spec }: Service): string[] {
  const claims: string[] = [];
  if (spec.type !== "ExternalName") {
    for (const ip of spec.clusterIPs ?? []) if (ip !== "None") claims.push(ipClaim(ip));
  }
  for (const { nodePort } of spec.ports ?? []) if (nodePort) claims.push(nodePortClaim(nodePort));
  if (spec.healthCheckNodePort) claims.push(nodePortClaim(spec.healthCheckNodePort));
  return [...new Set(claims)];
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
  // The address of a service that has one does not change; validation says so.
  if (old && needsClusterIp(old)) return [];
  const asked = spec.clusterIPs?.[0] ?? "";
  if (asked !== "") {
    const why = refuseAddress(asked, context);
    return why === undefined
      ? []
      : [invalidValue("spec.clusterIPs", spec.clusterIPs, `failed to allocate IP ${asked}: ${why}`)];
  }
  const address = drawAddress(context);
  if (address === undefined) {
    const name = JSON.stringify(service.metadata.name);
    throw internalError(`failed to allocate a serviceIP for Service ${name}: range is full`);
  }
  spec.clusterIP = address;
  spec.clusterIPs = [address];
  return [];
}

/**
 * Gives a service the addresses and ports that it needs and has not named. Runs before validation, on the object as it
 * was sent; when the store says that a claim is held, add it to `context.taken` and begin again from that object.
 * @returns causes when what was asked for by name cannot be had
 * @throws ApiError InternalError when a range is full, or a health check port cannot be had
 */
export function allocateService(service: Service, old: Service | undefined, context: AllocationContext): StatusCause[] {
  if (needsClusterIp(service)) {
    const causes = initIpFamilies(service, old);
    if (causes.length === 0) causes.push(...allocateClusterIp(service, old, context));
    if (causes.length > 0) return causes;
  }
  return allocateNodePorts(service, old, context);
}
