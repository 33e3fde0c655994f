import type { ClusterNetwork } from "./cluster-network.ts";
import { isReady } from "./conditions.ts";
import { type IpAddress, type IpRange, parseCidr, parseIp, printIp, rangeContains } from "./ip.ts";
import type { IPAddress, Service, ServiceCIDR } from "./types.ts";

/** The ServiceCIDR that every cluster has, with the ranges that it was made with. */
export const DEFAULT_SERVICE_CIDR = "kubernetes";

const FAMILY_LABEL = "ipaddress.kubernetes.io/ip-family";
const MANAGED_BY_LABEL = "ipaddress.kubernetes.io/managed-by";
const ALLOCATOR = "ipallocator.k8s.io";

/** Who sets the condition of the default ServiceCIDR, as managedFields and events name it. */
export const DEFAULT_CIDR_MANAGER = "kubernetes-service-cidr-controller";

type Ranges = Pick<ClusterNetwork, "serviceCidrs">;

export const defaultServiceCidr = ({ serviceCidrs }: Ranges): ServiceCIDR => ({
  metadata: { name: DEFAULT_SERVICE_CIDR },
  spec: { cidrs: serviceCidrs },
});

/** With the second family that its cluster has got; undefined if that is not what it lacks. */
export function upgradedServiceCidr(found: ServiceCIDR, { serviceCidrs }: Ranges): ServiceCIDR | undefined {
  const cidrs = found.spec?.cidrs ?? [];
  const isUpgrade = cidrs.length === 1 && serviceCidrs.length === 2 && cidrs[0] === serviceCidrs[0];
  return isUpgrade ? { ...found, spec: { cidrs: serviceCidrs } } : undefined;
}

/** What it says of itself once it is made, as an apply. @param at RFC 3339 */
export const defaultCidrIsReady = (at: string) =>
  readyApply(DEFAULT_SERVICE_CIDR, {
    status: "True",
    message: "Kubernetes default Service CIDR is ready",
    lastTransitionTime: at,
  });

/** The apply of a ServiceCIDR's Ready condition. */
export const readyApply = (name: string, condition: object) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "ServiceCIDR",
  metadata: { name },
  status: { conditions: [{ type: "Ready", ...condition }] },
});

/** Addresses are given out of it. */
export const isUsable = (cidr: ServiceCIDR): boolean => isReady(cidr) && !cidr.metadata.deletionTimestamp;

/** The ranges of a ServiceCIDR; what is none is left out. */
export const rangesOf = ({ spec }: ServiceCIDR): IpRange[] =>
  (spec?.cidrs ?? []).flatMap((cidr) => parseCidr(cidr) ?? []);

/** The first and the last address that services can have; first > last: there is none. */
export function serviceAddresses({ family, first, prefixLength }: IpRange): { first: bigint; last: bigint } {
  const end = first + (1n << BigInt((family === 4 ? 32 : 128) - prefixLength)) - 1n;
  return { first: first + 1n, last: family === 4 ? end - 1n : end };
}

/** Whether a service can have an address of this range: neither that of the network nor IPv4's broadcast. */
export function servesAddress(range: IpRange, ip: IpAddress): boolean {
  const { first, last } = serviceAddresses(range);
  return rangeContains(range, ip) && ip.value >= first && ip.value <= last;
}

/** Whether a service could have been given the address out of one of its ranges; false for a text that is none. */
export function containsAddress(cidr: ServiceCIDR, address: string): boolean {
  const ip = parseIp(address);
  return ip !== undefined && rangesOf(cidr).some((range) => servesAddress(range, ip));
}

/** The addresses that a service holds, canonical; none if it is headless or a name. */
export const clusterIpsOf = ({ spec }: Service): string[] =>
  spec.type === "ExternalName"
    ? []
    : (spec.clusterIPs ?? []).flatMap((text) => {
        const ip = parseIp(text);
        return ip ? printIp(ip) : [];
      });

const familyOf = (address: string): "IPv4" | "IPv6" => (address.includes(":") ? "IPv6" : "IPv4");

/** The object that says of an address which service has it (KEP-1880). */
export const ipAddressFor = (address: string, { metadata }: Service): IPAddress => ({
  metadata: { name: address, labels: { [FAMILY_LABEL]: familyOf(address), [MANAGED_BY_LABEL]: ALLOCATOR } },
  spec: { parentRef: { resource: "services", namespace: metadata.namespace, name: metadata.name } },
});

/** It was made for a service, by the API server or by its repair; others are their makers'. */
export const isOfAllocator = ({ metadata }: IPAddress): boolean => metadata.labels?.[MANAGED_BY_LABEL] === ALLOCATOR;

export const hasRightLabels = (ipAddress: IPAddress): boolean =>
  isOfAllocator(ipAddress) && ipAddress.metadata.labels?.[FAMILY_LABEL] === familyOf(ipAddress.metadata.name);
