import { goJson, invalidValue } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Service } from "../../../../shared/api/types.ts";
import { cidrWarnings, ipWarnings } from "../ip-rules.ts";

const TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE = "service.kubernetes.io/topology-mode";

/** Two annotations for one thing, of which the older one is deprecated. */
export function checkTopologyAnnotations({ metadata }: Service): StatusCause[] {
  const [hints, mode] = [metadata.annotations?.[TOPOLOGY_HINTS], metadata.annotations?.[TOPOLOGY_MODE]];
  if (hints === undefined || mode === undefined || hints === mode) return [];
  const rule = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`;
  return [invalidValue(`metadata.annotations[${TOPOLOGY_MODE}]`, mode, rule)];
}

/** What a client is told of a service that is accepted all the same; upstream's texts. */
export function serviceWarnings({ spec, metadata }: Service): string[] {
  const texts: string[] = [];
  if (metadata.annotations && TOPOLOGY_HINTS in metadata.annotations) {
    texts.push(`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`);
  }
  const headless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  const externalIPs = spec.externalIPs ?? [];
  if (spec.type !== "ExternalName" && spec.clusterIP && !headless) {
    texts.push(...(spec.clusterIPs ?? []).flatMap((ip, index) => ipWarnings(ip, `spec.clusterIPs[${index}]`)));
  }
  if (headless) {
    if (spec.loadBalancerIP) texts.push("spec.loadBalancerIP is ignored for headless services");
    if (externalIPs.length > 0) texts.push("spec.externalIPs is ignored for headless services");
    if (spec.sessionAffinity !== "None") texts.push("spec.SessionAffinity is ignored for headless services");
  }
  texts.push(...externalIPs.flatMap((ip, index) => ipWarnings(ip, `spec.externalIPs[${index}]`)));
  if (externalIPs.length > 0 && !headless && spec.type !== "ExternalName") {
    texts.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (spec.loadBalancerIP) texts.push(...ipWarnings(spec.loadBalancerIP, "spec.loadBalancerIP"));
  for (const [index, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    texts.push(...cidrWarnings(range, `spec.loadBalancerSourceRanges[${index}]`));
  }
  if (spec.type === "ExternalName" && externalIPs.length > 0) {
    texts.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (spec.type !== "ExternalName" && spec.externalName) {
    texts.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === "PreferClose") {
    texts.push(`spec.trafficDistribution: ${goJson("PreferClose")} is deprecated; use "PreferSameZone"`);
  }
  return texts;
}
