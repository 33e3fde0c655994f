import {
  FIELD_IMMUTABLE,
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain, nameIsLabel } from "../../../../shared/api/names.ts";
import { validateLabels } from "../../../../shared/api/object-meta.ts";
import { clusterIpsOf, ipAddressFor } from "../../../../shared/api/service-cidr.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Service } from "../../../../shared/api/types.ts";
import { checkEndpointIp, checkLegacyIp } from "../ip-rules.ts";
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
import { checkBalancerClass, checkBalancerFields, validateServiceStatusUpdate } from "./service-load-balancer.ts";
import { checkPortClashes, checkServicePorts } from "./service-ports.ts";
import { checkAffinity, checkTraffic } from "./service-traffic.ts";
import { checkTopologyAnnotations, serviceWarnings } from "./service-warnings.ts";

const DEFAULT_AFFINITY_SECONDS = 10_800;

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

const SERVICE_TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

function check(service: Service, old?: Service): StatusCause[] {
  const { spec } = service;
  const causes = checkTopologyAnnotations(service);
  if ((spec.ports ?? []).length === 0 && !isHeadless(service) && spec.type !== "ExternalName")
    causes.push(required("spec.ports"));
  causes.push(
    ...checkType(service),
    ...checkServicePorts(service),
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
  validateStatusUpdate: validateServiceStatusUpdate,
  warnings: serviceWarnings,
  claims: serviceClaims,
  ipAddresses: (service) => clusterIpsOf(service).map((address) => ipAddressFor(address, service)),
  fields: ({ spec }) => ({ "spec.clusterIP": spec.clusterIP ?? "", "spec.type": spec.type ?? "" }),
  tracksGeneration: false,
  allowCreateOnUpdate: true,
};
