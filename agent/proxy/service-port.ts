import { parseCidr, parseIp, printCidr, printIp } from "../../shared/api/ip.ts";
import type { Service } from "../../shared/api/types.ts";

export type Protocol = "TCP" | "UDP" | "SCTP";
export type Family = "ip" | "ip6";

/** One port of a Service, in one address family: what rules are made of. */
export interface ServicePort {
  /** `<namespace>/<name>`. */
  service: string;
  /** The port's name; empty for the only one. */
  name: string;
  protocol: Protocol;
  clusterIp: string;
  port: number;
  /** 0: none. */
  nodePort: number;
  externalIps: string[];
  /** Of status.loadBalancer, those that behave as virtual addresses (ipMode VIP). */
  loadBalancerIps: string[];
  /** Who may use the load balancer's addresses; empty: everybody. */
  sourceRanges: string[];
  isInternalLocal: boolean;
  isExternalLocal: boolean;
  /** Session affinity by the client's address; undefined: none. */
  affinitySeconds: number | undefined;
}

const PROXY_NAME_LABEL = "service.kubernetes.io/service-proxy-name";
const HEADLESS_LABEL = "service.kubernetes.io/headless";
const DEFAULT_AFFINITY_SECONDS = 10_800;

/** The addresses of a family, in their canonical form; what is none is left out. */
const addressesOf = (family: Family, texts: (string | undefined)[]): string[] =>
  texts
    .map((text) => parseIp(text ?? ""))
    .filter((ip) => ip !== undefined && familyOf(ip) === family)
    .map((ip) => printIp(ip!));

/** The ranges of a family; none where one of them holds every address, as if nobody was to be kept out. */
function rangesOf(family: Family, texts: string[]): string[] {
  const ranges = texts
    .map((text) => parseCidr(text.trim()))
    .filter((range) => range !== undefined)
    .filter((range) => familyOf(range) === family);
  return ranges.some(({ prefixLength }) => prefixLength === 0) ? [] : ranges.map((range) => printCidr(range));
}

export const familyOf = ({ family }: { family: 4 | 6 }): Family => (family === 6 ? "ip6" : "ip");

/** Whether another proxy looks after a Service, or nobody needs to: it has no virtual address. */
export function isForeign({ metadata, spec }: Service): boolean {
  const { clusterIP, type } = spec ?? {};
  const labels = metadata.labels ?? {};
  if (PROXY_NAME_LABEL in labels || HEADLESS_LABEL in labels) return true;
  return !clusterIP || clusterIP === "None" || type === "ExternalName";
}

/** What a Service asks of a node's proxy in one family; none for one that is not the proxy's. @see KEP-1880, KEP-2086 */
export function servicePorts(service: Service, family: Family): ServicePort[] {
  if (isForeign(service)) return [];
  const { metadata, spec = {}, status } = service;
  const [clusterIp] = addressesOf(family, spec.clusterIPs?.length ? spec.clusterIPs : [spec.clusterIP]);
  if (!clusterIp) return [];
  const ingress = spec.type === "LoadBalancer" ? (status?.loadBalancer?.ingress ?? []) : [];
  const isReachable = spec.type === "NodePort" || spec.type === "LoadBalancer";
  const hasExternal = isReachable || !!spec.externalIPs?.length;
  return (spec.ports ?? []).map((port) => ({
    service: `${metadata.namespace}/${metadata.name}`,
    name: port.name ?? "",
    protocol: (port.protocol ?? "TCP") as Protocol,
    clusterIp,
    port: port.port,
    nodePort: isReachable ? (port.nodePort ?? 0) : 0,
    externalIps: addressesOf(family, spec.externalIPs ?? []),
    loadBalancerIps: addressesOf(
      family,
      ingress.filter(({ ipMode }) => ipMode !== "Proxy").map(({ ip }) => ip),
    ),
    sourceRanges: rangesOf(family, spec.loadBalancerSourceRanges ?? []),
    isInternalLocal: spec.internalTrafficPolicy === "Local",
    isExternalLocal: hasExternal && spec.externalTrafficPolicy === "Local",
    affinitySeconds:
      spec.sessionAffinity === "ClientIP"
        ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS)
        : undefined,
  }));
}

/** Whether anything but the cluster's own address leads to it. */
export const isExternallyAccessible = ({ nodePort, externalIps, loadBalancerIps }: ServicePort): boolean =>
  nodePort !== 0 || externalIps.length > 0 || loadBalancerIps.length > 0;

/** Whether some of its traffic may go to any node's endpoints. External traffic from here does, whatever the policy. */
export const usesClusterEndpoints = (port: ServicePort): boolean =>
  !port.isInternalLocal || isExternallyAccessible(port);

export const usesLocalEndpoints = (port: ServicePort): boolean =>
  port.isInternalLocal || (port.isExternalLocal && isExternallyAccessible(port));
