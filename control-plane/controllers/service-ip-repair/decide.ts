import { parseIp } from "../../../shared/api/ip.ts";
import { clusterIpsOf, containsAddress, hasRightLabels, isOfAllocator } from "../../../shared/api/service-cidr.ts";
import type { IPAddress, Service, ServiceCIDR } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";

/** A write of a Service takes no longer (kube-apiserver's time limit of a request): what it took is not lost before. */
export const WRITE_MS = 60_000;
/** A refused write gives back what it took within this time. */
const REVERT_MS = 5_000;

export interface Warning {
  reason: string;
  message: string;
}

export interface AddressRepair {
  address: string;
  /** create: it is missing; replace: it is wrong; none: it cannot be helped. */
  step: "create" | "replace" | "none";
  warning?: Warning;
}

export interface Known {
  cidrs: ServiceCIDR[];
  addressOf(address: string): IPAddress | undefined;
  serviceOf(key: { namespace?: string; name?: string }): Service | undefined;
}

/** What is wrong with the IPAddresses of a Service that has addresses. */
export function decideService(service: Service, known: Known): AddressRepair[] {
  return clusterIpsOf(service).flatMap((address) => decideOne(service, address, known) ?? []);
}

function decideOne(service: Service, address: string, known: Known): AddressRepair | undefined {
  const { namespace, name } = service.metadata;
  const ip = parseIp(address);
  if (!ip) return undefined;
  const family = ip.family === 4 ? "IPv4" : "IPv6";
  const repair = (step: AddressRepair["step"], reason: string, message: string): AddressRepair => ({
    address,
    step,
    warning: { reason, message },
  });
  if (!known.cidrs.some((cidr) => containsAddress(cidr, address))) {
    const message = `Cluster IP [${family}]: ${address} is not within any configured Service CIDR; please recreate service`;
    return repair("none", "ClusterIPOutOfRange", message);
  }
  const ipAddress = known.addressOf(address);
  if (!ipAddress) {
    return repair("create", "ClusterIPNotAllocated", `Cluster IP [${family}]: ${address} is not allocated; repairing`);
  }
  const wrongReference = `the ClusterIP [${family}]: ${address} for Service ${namespace}/${name} has a wrong reference; repairing`;
  if (!refersToService(ipAddress)) return repair("replace", "ClusterIPNotAllocated", wrongReference);
  const parent = ipAddress.spec?.parentRef ?? {};
  if (parent.namespace !== namespace || parent.name !== name) {
    const other = known.serviceOf(parent);
    if (!other) return repair("replace", "ClusterIPNotAllocated", wrongReference);
    if (clusterIpsOf(other).includes(address)) {
      const message = `Cluster IP [${family}]:${address} was assigned to multiple services; please recreate service`;
      return repair("none", "ClusterIPAlreadyAllocated", message);
    }
    return repair("replace", "ClusterIPNotAllocated", wrongReference);
  }
  return hasRightLabels(ipAddress) ? undefined : { address, step: "replace" };
}

const refersToService = ({ spec }: IPAddress): boolean =>
  !spec?.parentRef?.group && spec?.parentRef?.resource === "services";

export type AddressPlan = { step: "keep"; recheckAfterMs?: number } | { step: "remove"; warning: Warning };

/**
 * Whether an IPAddress that was made for a Service is left over. Those of other makers are kept.
 * @param service the one that it names, if there is such a Service
 */
export function decideAddress(ipAddress: IPAddress, service: Service | undefined, nowMs: number): AddressPlan {
  if (!isOfAllocator(ipAddress)) return { step: "keep" };
  const { name } = ipAddress.metadata;
  const parent = ipAddress.spec?.parentRef;
  const remove = (reason: string, message: string): AddressPlan => ({ step: "remove", warning: { reason, message } });
  if (!refersToService(ipAddress)) {
    const { group = "", resource = "", namespace = "", name: parentName = "" } = parent ?? {};
    const text = `&ParentReference{Group:${group},Resource:${resource},Namespace:${namespace},Name:${parentName},}`;
    const message = `IPAddress ${name} appears to have been modified, not referencing a Service ${text}: cleaning up`;
    return remove("IPAddressNotAllocated", message);
  }
  const about = `IPAddress: ${name} for Service ${parent?.namespace}/${parent?.name}`;
  const madeMs = parseTime(ipAddress.metadata.creationTimestamp);
  const ageMs = nowMs - madeMs;
  if (!service) {
    // It is taken before the Service is written.
    if (ageMs <= WRITE_MS) return { step: "keep", recheckAfterMs: WRITE_MS - ageMs + 1 };
    return remove("IPAddressNotAllocated", `${about} appears to have leaked: cleaning up`);
  }
  if (clusterIpsOf(service).includes(name)) return { step: "keep" };
  if (service.spec.type === "ExternalName" && ageMs < WRITE_MS) {
    return { step: "keep", recheckAfterMs: WRITE_MS - ageMs };
  }
  if (madeMs > parseTime(service.metadata.creationTimestamp) && ageMs < REVERT_MS) {
    return { step: "keep", recheckAfterMs: REVERT_MS };
  }
  return remove("IPAddressWrongReference", `${about} has a wrong reference; cleaning up`);
}
