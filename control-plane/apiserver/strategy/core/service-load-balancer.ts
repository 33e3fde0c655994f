import {
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { parseIp } from "../../../../shared/api/ip.ts";
import { checkDns1123Subdomain, checkQualifiedName } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Service } from "../../../../shared/api/types.ts";
import { checkLegacyCidr, checkLegacyIp } from "../ip-rules.ts";

const SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";
const ONLY_FOR_BALANCERS = "may only be used when `type` is 'LoadBalancer'";

/** Fields that only services of type LoadBalancer have. */
export function checkBalancerFields(service: Service, old: Service | undefined): StatusCause[] {
  const { spec, metadata } = service;
  const causes: StatusCause[] = [];
  const isBalancer = spec.type === "LoadBalancer";
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const annotation = metadata.annotations?.[SOURCE_RANGES];
  if (ranges.length > 0) {
    const field = "spec.LoadBalancerSourceRanges";
    if (!isBalancer) causes.push(fieldForbidden(field, ONLY_FOR_BALANCERS));
    const known = (old?.spec.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    for (const [index, range] of ranges.entries()) {
      causes.push(...checkLegacyCidr(range.trim(), `${field}[${index}]`, known));
    }
  } else if (annotation !== undefined) {
    const field = `metadata.annotations[${SOURCE_RANGES}]`;
    if (!isBalancer) causes.push(fieldForbidden(field, ONLY_FOR_BALANCERS));
    if (old?.metadata.annotations?.[SOURCE_RANGES] !== annotation && annotation.trim() !== "") {
      for (const range of annotation.trim().split(",")) causes.push(...checkLegacyCidr(range.trim(), field));
    }
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer) {
    causes.push(fieldForbidden("spec.allocateLoadBalancerNodePorts", ONLY_FOR_BALANCERS));
  }
  if (isBalancer && spec.allocateLoadBalancerNodePorts === undefined) {
    causes.push(required("allocateLoadBalancerNodePorts"));
  }
  return [...causes, ...checkBalancerClass(service)];
}

export function checkBalancerClass({ spec }: Service): StatusCause[] {
  const { loadBalancerClass } = spec;
  if (loadBalancerClass === undefined) return [];
  return spec.type === "LoadBalancer"
    ? invalidEach("spec.loadBalancerClass", loadBalancerClass, checkQualifiedName(loadBalancerClass))
    : [fieldForbidden("spec.loadBalancerClass", ONLY_FOR_BALANCERS)];
}

/** Only addresses of load balancers stand in the status. */
export function validateServiceStatusUpdate({ spec, status }: Service, old: Service): StatusCause[] {
  const ingress = status?.loadBalancer?.ingress ?? [];
  const path = "status.loadBalancer.ingress";
  if (spec.type !== "LoadBalancer" && ingress.length > 0) {
    return [fieldForbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const known = (old.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip ?? "");
  return ingress.flatMap(({ ip, ipMode, hostname }, index) => {
    const field = `${path}[${index}]`;
    const causes = ip ? checkLegacyIp(ip, `${field}.ip`, known) : [];
    if (ipMode === undefined) {
      if (ip) causes.push(required(`${field}.ipMode`, "must be specified when `ip` is set"));
    } else if (!ip) causes.push(fieldForbidden(`${field}.ipMode`, "may not be specified when `ip` is not set"));
    else if (!["Proxy", "VIP"].includes(ipMode)) {
      causes.push(notSupported(`${field}.ipMode`, ipMode, ["Proxy", "VIP"]));
    }
    if (hostname) {
      causes.push(...invalidEach(`${field}.hostname`, hostname, checkDns1123Subdomain(hostname)));
      if (parseIp(hostname)) {
        causes.push(invalidValue(`${field}.hostname`, hostname, "must be a DNS name, not an IP address"));
      }
    }
    return causes;
  });
}
