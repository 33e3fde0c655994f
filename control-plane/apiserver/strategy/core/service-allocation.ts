import { invalidValue } from "../../../../shared/api/field-error.ts";
import { parseIp } from "../../../../shared/api/ip.ts";
import { internalError, type StatusCause } from "../../../../shared/api/status.ts";
import type { Service } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import type { AllocationContext, IpFamily } from "../strategy.ts";
import { drawAddress, ipClaim, refuseAddress } from "./service-addresses.ts";
import { checkClusterIps } from "./service-cluster-ips.ts";
import { isHeadless, needsClusterIp } from "./service-fields.ts";
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
const OTHER: Record<IpFamily, IpFamily> = { IPv4: "IPv6", IPv6: "IPv4" };

/**
 * A PreferDualStack service is not moved to what its cluster has become meanwhile: only a change of its policy, or of its
 * addresses or families, gives or takes a second address.
 */
function keepsFamilies({ spec }: Service, old: Service | undefined): boolean {
  if (!old || !needsClusterIp(old) || spec.type !== old.spec.type) return false;
  return (
    spec.ipFamilyPolicy === "PreferDualStack" &&
    old.spec.ipFamilyPolicy === "PreferDualStack" &&
    isEqual(spec.clusterIPs, old.spec.clusterIPs) &&
    isEqual(spec.ipFamilies, old.spec.ipFamilies)
  );
}

/** An update to SingleStack lets the second address go; one that merely leaves it out, without saying so, is refused. */
function releaseSecond(service: Service, old: Service): StatusCause[] {
  const { spec } = service;
  const [ips, oldIps] = [spec.clusterIPs ?? [], old.spec.clusterIPs ?? []];
  const [families, oldFamilies] = [spec.ipFamilies ?? [], old.spec.ipFamilies ?? []];
  if (spec.ipFamilyPolicy === "SingleStack") {
    if (ips.length > 1 && isEqual(ips, oldIps)) spec.clusterIPs = ips.slice(0, 1);
    if (families.length > 1 && isEqual(families, oldFamilies)) spec.ipFamilies = families.slice(0, 1);
    return [];
  }
  const rule = (what: string) => `must be 'SingleStack' to release the secondary ${what}`;
  const isReduced = (now: unknown[], before: unknown[]) => now.length > 0 && now.length < before.length;
  return [
    ...(isReduced(ips, oldIps) ? [invalidValue(POLICY, spec.ipFamilyPolicy, rule("cluster IP"))] : []),
    ...(isReduced(families, oldFamilies) ? [invalidValue(POLICY, spec.ipFamilyPolicy, rule("IP family"))] : []),
  ];
}

/** Fills in families and policy, as far as the cluster has them. */
function initIpFamilies(service: Service, old: Service | undefined, configured: readonly IpFamily[]): StatusCause[] {
  const { spec } = service;
  const selectorless = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? (selectorless ? "RequireDualStack" : "SingleStack");
  const wrong = checkClusterIps(service, old);
  if (wrong.length > 0) return wrong;
  const causes = old ? releaseSecond(service, old) : [];
  const policy = spec.ipFamilyPolicy;
  if (policy === "SingleStack") {
    const rule = (what: string) =>
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    if (spec.clusterIPs?.length === 2) causes.push(invalidValue(POLICY, policy, rule("cluster IPs")));
    if (spec.ipFamilies?.length === 2) causes.push(invalidValue(POLICY, policy, rule("IP families")));
  }
  const families = [...(spec.ipFamilies ?? [])] as IpFamily[];
  for (const [index, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === "None" || index < families.length) continue;
    const family = parseIp(ip)?.family === 6 ? "IPv6" : "IPv4";
    if (configured.includes(family)) families.push(family);
    else {
      const why = `${family} is not configured on this cluster`;
      causes.push(invalidValue(`spec.clusterIPs[${index}]`, spec.clusterIPs, why));
    }
  }
  if (causes.length > 0) return causes;
  const [defaultFamily = "IPv4"] = configured;
  const wantsBoth = policy !== "SingleStack";
  if (selectorless) {
    // Its endpoints are somebody else's, and may be of any family.
    const [first = defaultFamily, second = wantsBoth ? OTHER[first] : undefined] = families;
    spec.ipFamilies = second ? [first, second] : [first];
    return [];
  }
  if (policy === "RequireDualStack" && configured.length < 2) {
    causes.push(invalidValue(POLICY, policy, "this cluster is not configured for dual-stack services"));
  }
  for (const [index, family] of families.entries()) {
    if (!configured.includes(family)) {
      causes.push(invalidValue(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
    }
  }
  const [first = defaultFamily, second = wantsBoth && configured.length === 2 ? OTHER[first] : undefined] = families;
  spec.ipFamilies = second ? [first, second] : [first];
  return causes;
}

/** Which of the families need an address: all of a service that had none, the second of one that gets a second. */
function familiesToAllocate({ spec }: Service, old: Service | undefined): number[] {
  if (spec.clusterIP === "None") return [];
  const families = spec.ipFamilies ?? [];
  if (!old || !needsClusterIp(old)) return families.map((_, index) => index);
  // The first address of a service that has one does not change; validation says so.
  const isUpgraded = !isHeadless(old) && old.spec.ipFamilies?.length === 1 && families.length === 2;
  return isUpgraded ? [1] : [];
}

function allocateClusterIps(service: Service, old: Service | undefined, context: AllocationContext): StatusCause[] {
  const { spec } = service;
  const places = familiesToAllocate(service, old);
  const clusterIPs = [...(spec.clusterIPs ?? [])];
  for (const index of places) clusterIPs[index] ??= "";
  /** As a refusal shows it: empty what is yet to be allocated. */
  const asked = [...clusterIPs];
  for (const index of places) {
    const allocated = allocateAddress(service, { asked, index, held: old?.spec.clusterIPs ?? [], context });
    if (typeof allocated !== "string") return [allocated];
    clusterIPs[index] = allocated;
  }
  if (clusterIPs.length === 0) return [];
  spec.clusterIPs = clusterIPs;
  // An update that names another first address is refused, and not here.
  spec.clusterIP ||= clusterIPs[0];
  return [];
}

/**
 * @param place asked: all of the service's addresses, empty what is yet to be allocated; index: the one that is meant;
 *   held: those that the service has already
 * @returns the address, or why the one that was asked for cannot be had
 */
function allocateAddress(
  { spec, metadata }: Service,
  place: { asked: string[]; index: number; held: string[]; context: AllocationContext },
): string | StatusCause {
  const { asked, index, held, context } = place;
  const ip = asked[index] ?? "";
  if (ip !== "") {
    const isOwn = !context.dryRun && held.includes(ip);
    const why = isOwn ? "provided IP is already allocated" : refuseAddress(ip, context);
    return why === undefined ? ip : invalidValue("spec.clusterIPs", asked, `failed to allocate IP ${ip}: ${why}`);
  }
  const address = drawAddress(context, spec.ipFamilies![index] as IpFamily);
  if (address !== undefined) return address;
  throw internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(metadata.name)}: range is full`);
}

/**
 * Gives a service the addresses and ports that it needs and has not named. Runs before validation, on the object as it
 * was sent; when the store says that a claim is held, add it to `context.taken` and begin again from that object.
 * @returns causes when what was asked for by name cannot be had
 * @throws ApiError InternalError when a range is full, or a health check port cannot be had
 */
export function allocateService(service: Service, old: Service | undefined, context: AllocationContext): StatusCause[] {
  if (needsClusterIp(service) && !keepsFamilies(service, old)) {
    const causes = initIpFamilies(service, old, context.families);
    if (causes.length === 0) causes.push(...allocateClusterIps(service, old, context));
    if (causes.length > 0) return causes;
  }
  return allocateNodePorts(service, old, context);
}
