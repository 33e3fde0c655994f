import {
  fieldForbidden,
  invalidEach,
  invalidValue,
  notSupported,
  required,
} from "../../../../shared/api/field-error.ts";
import { checkPortNumber } from "../../../../shared/api/names.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Service } from "../../../../shared/api/types.ts";
import { isReachableFromOutside, needsHealthCheckPort } from "./service-fields.ts";

const TRAFFIC_POLICIES = ["Cluster", "Local"];

/** Which endpoints get the traffic from inside and from outside. */
export function checkTraffic(service: Service): StatusCause[] {
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

const MAX_AFFINITY_SECONDS = 86_400;

/** For how long a client stays with an endpoint. */
export function checkAffinity({ spec }: Service): StatusCause[] {
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
