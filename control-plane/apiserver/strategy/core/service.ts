import {
  duplicate,
  FIELD_IMMUTABLE,
  fieldForbidden,
  goJson,
  invalidEach,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { parseIp } from "../../../../shared/api/ip.ts";
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPortNumber,
  checkQualifiedName,
  nameIsLabel,
} from "../../../../shared/api/names.ts";
import { validateLabels } from "../../../../shared/api/object-meta.ts";
import { clusterIpsOf, ipAddressFor } from "../../../../shared/api/service-cidr.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Service, ServicePort } from "../../../../shared/api/types.ts";
import { checkEndpointIp, checkLegacyCidr, checkLegacyIp, cidrWarnings, ipWarnings } from "../ip-rules.ts";
import { checkPort } from "../pod-spec/probes.ts";
import type { Strategy } from "../strategy.ts";
import { allocateService, serviceClaims } from "./service-allocation.ts";
import { checkClusterIps, checkClusterIpsUpdate } from "./service-cluster-ips.ts";
import {
  dropUnusedFields,
  isHeadless,
  isReachableFromOutside,
  keepAllocations,
  needsHealthCheckPort,
  normalizeClusterIps,
} from "./service-fields.ts";

const DEFAULT_AFFINITY_SECONDS = 10_800;
const MAX_AFFINITY_SECONDS = 86_400;

function applyDefaults(service: Service): void {
  service.spec ??= {};
  const { spec } = service;
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: DEFAULT_AFFINITY_SECONDS } };
  }
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (!port.targetPort) port.targetPort = port.port;
  }
  if (isReachableFromOutside(service)) spec.externalTrafficPolicy ||= "Cluster";
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") {
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const ingress of service.status?.loadBalancer?.ingress ?? []) {
      if (ingress.ip) ingress.ipMode ??= "VIP";
    }
  }
}

const PROTOCOLS = ["SCTP", "TCP", "UDP"];

function checkServicePort(port: ServicePort, path: string, names: Set<string>, nameNeeded: boolean): StatusCause[] {
  const { name, port: number = 0, protocol, targetPort, appProtocol } = port;
  const causes: StatusCause[] = [];
  if (nameNeeded && !name) causes.push(required(`${path}.name`));
  else if (name) {
    causes.push(...invalidEach(`${path}.name`, name, checkDns1123Label(name)));
    if (names.has(name)) causes.push(duplicate(`${path}.name`, name));
    names.add(name);
  }
  causes.push(...invalidEach(`${path}.port`, number, checkPortNumber(number)));
  if (!protocol) causes.push(required(`${path}.protocol`));
  else if (!PROTOCOLS.includes(protocol)) causes.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS));
  causes.push(...checkPort(targetPort, `${path}.targetPort`));
  if (appProtocol !== undefined) {
    causes.push(...invalidEach(`${path}.appProtocol`, appProtocol, checkQualifiedName(appProtocol)));
  }
  return causes;
}

function checkType(service: Service): StatusCause[] {
  const { spec } = service;
  if (spec.type === "LoadBalancer" || spec.type === "NodePort") {
    const rule = `may not be set to 'None' for ${spec.type} services`;
    return isHeadless(service) ? [invalidValue("spec.clusterIPs[0]", "None", rule)] : [];
  }
  if (spec.type !== "ExternalName") return [];
  const causes: StatusCause[] = [];
  const notForNames = "may not be set for ExternalName services";
  if ((spec.clusterIPs ?? []).length > 0) causes.push(fieldForbidden("spec.clusterIPs", notForNames));
  if ((spec.ipFamilies ?? []).length > 0) causes.push(fieldForbidden("spec.ipFamilies", notForNames));
  if (spec.ipFamilyPolicy !== undefined) causes.push(fieldForbidden("spec.ipFamilyPolicy", notForNames));
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  if (name === "") causes.push(required("spec.externalName"));
  else causes.push(...invalidEach("spec.externalName", name, checkDns1123Subdomain(name)));
  return causes;
}

function checkAffinity({ spec }: Service): StatusCause[] {
  const field = "spec.sessionAffinityConfig";
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  switch (spec.sessionAffinity) {
    case "ClientIP": {
      const why = "when session affinity type is ClientIP";
      if (!spec.sessionAffinityConfig) return [required(field, why)];
      if (!spec.sessionAffinityConfig.clientIP) return [required(`${field}.clientIP`, why)];
      if (seconds === undefined) return [required(`${field}.clientIP.timeoutSeconds`, why)];
      const rule = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
      return seconds > 0 && seconds <= MAX_AFFINITY_SECONDS
        ? []
        : [invalidValue(`${field}.clientIP.timeoutSeconds`, seconds, rule)];
    }
    case "None":
      return spec.sessionAffinityConfig ? [fieldForbidden(field, "must not be set when session affinity is None")] : [];
    case undefined:
    case "":
      return [required("spec.sessionAffinity")];
    default:
      return [notSupported("spec.sessionAffinity", spec.sessionAffinity, ["ClientIP", "None"])];
  }
}

/** Ports of the nodes and of the service, each only once per protocol. */
function checkPortClashes({ spec }: Service): StatusCause[] {
  const causes: StatusCause[] = [];
  const ports = spec.ports ?? [];
  if (spec.type === "ClusterIP") {
    for (const [index, { nodePort }] of ports.entries()) {
      if (nodePort) {
        causes.push(fieldForbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
      }
    }
  }
  const nodePorts = new Set<string>();
  for (const [index, { protocol, nodePort }] of ports.entries()) {
    if (!nodePort) continue;
    const key = `${protocol}/${nodePort}`;
    if (nodePorts.has(key)) causes.push(duplicate(`spec.ports[${index}].nodePort`, nodePort));
    nodePorts.add(key);
  }
  const seen = new Set<string>();
  for (const [index, { protocol, port }] of ports.entries()) {
    const key = `${protocol}/${port}`;
    if (seen.has(key)) {
      // The internal type, with all that the comparison leaves out.
      const printed = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
      causes.push(duplicate(`spec.ports[${index}]`, printed));
    }
    seen.add(key);
  }
  return causes;
}

const SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";
const ONLY_FOR_BALANCERS = "may only be used when `type` is 'LoadBalancer'";

function checkBalancerFields(service: Service, old: Service | undefined): StatusCause[] {
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

function checkBalancerClass({ spec }: Service): StatusCause[] {
  const { loadBalancerClass } = spec;
  if (loadBalancerClass === undefined) return [];
  return spec.type === "LoadBalancer"
    ? invalidEach("spec.loadBalancerClass", loadBalancerClass, checkQualifiedName(loadBalancerClass))
    : [fieldForbidden("spec.loadBalancerClass", ONLY_FOR_BALANCERS)];
}

const TRAFFIC_POLICIES = ["Cluster", "Local"];

function checkTraffic(service: Service): StatusCause[] {
  const {
    externalTrafficPolicy,
    internalTrafficPolicy,
    healthCheckNodePort = 0,
    trafficDistribution,
    type,
  } = service.spec;
  const causes: StatusCause[] = [];
  const external = "spec.externalTrafficPolicy";
  if (!isReachableFromOutside(service)) {
    if (externalTrafficPolicy) {
      causes.push(invalidValue(external, externalTrafficPolicy, "may only be set for externally-accessible services"));
    }
  } else if (!externalTrafficPolicy) causes.push(required(external));
  else if (!TRAFFIC_POLICIES.includes(externalTrafficPolicy)) {
    causes.push(notSupported(external, externalTrafficPolicy, TRAFFIC_POLICIES));
  }
  const health = "spec.healthCheckNodePort";
  if (!needsHealthCheckPort(service)) {
    if (healthCheckNodePort !== 0) {
      const rule = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
      causes.push(invalidValue(health, healthCheckNodePort, rule));
    }
  } else if (healthCheckNodePort === 0) causes.push(required(health));
  else causes.push(...invalidEach(health, healthCheckNodePort, checkPortNumber(healthCheckNodePort)));
  if (internalTrafficPolicy === undefined) {
    if (type !== "ExternalName") causes.push(required("spec.internalTrafficPolicy"));
  } else if (!TRAFFIC_POLICIES.includes(internalTrafficPolicy)) {
    causes.push(notSupported("spec.internalTrafficPolicy", internalTrafficPolicy, TRAFFIC_POLICIES));
  }
  const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
  if (trafficDistribution !== undefined && !distributions.includes(trafficDistribution)) {
    causes.push(notSupported("spec.trafficDistribution", trafficDistribution, distributions));
  }
  return causes;
}

const TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE = "service.kubernetes.io/topology-mode";
const SERVICE_TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

function check(service: Service, old?: Service): StatusCause[] {
  const { spec, metadata } = service;
  const causes: StatusCause[] = [];
  const [hints, mode] = [metadata.annotations?.[TOPOLOGY_HINTS], metadata.annotations?.[TOPOLOGY_MODE]];
  if (hints !== undefined && mode !== undefined && hints !== mode) {
    const rule = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`;
    causes.push(invalidValue(`metadata.annotations[${TOPOLOGY_MODE}]`, mode, rule));
  }
  const ports = spec.ports ?? [];
  if (ports.length === 0 && !isHeadless(service) && spec.type !== "ExternalName") causes.push(required("spec.ports"));
  causes.push(...checkType(service));
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    causes.push(...checkServicePort(port, `spec.ports[${index}]`, names, ports.length > 1));
  }
  causes.push(
    ...validateLabels(spec.selector, "spec.selector"),
    ...checkAffinity(service),
    ...checkClusterIps(service, old),
  );
  for (const [index, ip] of (spec.externalIPs ?? []).entries()) {
    const field = `spec.externalIPs[${index}]`;
    const bad = checkLegacyIp(ip, field, old?.spec.externalIPs);
    causes.push(...(bad.length > 0 ? bad : checkEndpointIp(ip, field)));
  }
  if (!spec.type) causes.push(required("spec.type"));
  else if (!SERVICE_TYPES.includes(spec.type)) causes.push(notSupported("spec.type", spec.type, SERVICE_TYPES));
  return [...causes, ...checkPortClashes(service), ...checkBalancerFields(service, old), ...checkTraffic(service)];
}

function validateUpdate(service: Service, old: Service): StatusCause[] {
  const causes = checkClusterIpsUpdate(service, old);
  const balancers = service.spec.type === "LoadBalancer" && old.spec.type === "LoadBalancer";
  if (balancers && service.spec.loadBalancerClass !== old.spec.loadBalancerClass) {
    causes.push(
      invalidValue("spec.loadBalancerClass", service.spec.loadBalancerClass ?? null, "may not change once set"),
    );
  }
  causes.push(...checkBalancerClass(service));
  const bothChecked = needsHealthCheckPort(service) && needsHealthCheckPort(old);
  if (bothChecked && service.spec.healthCheckNodePort !== old.spec.healthCheckNodePort) {
    causes.push(fieldForbidden("spec.healthCheckNodePort", FIELD_IMMUTABLE));
  }
  return [...causes, ...check(service, old)];
}

function validateStatusUpdate({ spec, status }: Service, old: Service): StatusCause[] {
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

function warnings({ spec, metadata }: Service): string[] {
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

export const SERVICE_STRATEGY: Strategy<Service> = {
  // RelaxedServiceNameValidation is on in 1.36: a name may begin with a digit.
  nameRule: nameIsLabel,
  applyDefaults,
  prepareForCreate: (service) => {
    service.status = { loadBalancer: {} };
    normalizeClusterIps(service);
  },
  prepareForUpdate: (service, old) => {
    keepAllocations(service, old);
    normalizeClusterIps(service, old);
    dropUnusedFields(service, old);
    const { spec } = service;
    // Set by default for the type it had.
    const isLeft = spec.type === "ExternalName" && old.spec.type !== "ExternalName";
    if (isLeft && spec.internalTrafficPolicy === old.spec.internalTrafficPolicy) delete spec.internalTrafficPolicy;
  },
  allocate: allocateService,
  validate: (service) => check(service),
  validateUpdate,
  validateStatusUpdate,
  warnings,
  claims: serviceClaims,
  ipAddresses: (service) => clusterIpsOf(service).map((address) => ipAddressFor(address, service)),
  fields: ({ spec }) => ({ "spec.clusterIP": spec.clusterIP ?? "", "spec.type": spec.type ?? "" }),
  tracksGeneration: false,
  allowCreateOnUpdate: true,
};
