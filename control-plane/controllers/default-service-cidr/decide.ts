import { defaultServiceCidr, readyCondition, SERVICE_CIDR } from "../../../shared/api/service-cidr.ts";
import type { ServiceCIDR } from "../../../shared/api/types.ts";

export interface Warning {
  reason: string;
  message: string;
}

export type Plan =
  | { step: "none" }
  | { step: "create"; object: ServiceCIDR }
  | { step: "ready" }
  | { step: "warn"; warning: Warning };

/**
 * Keeps the ServiceCIDR `kubernetes`. One that was made otherwise, or that somebody calls not ready, is only complained
 * of: its maker has to see to it.
 */
export function decide(cidr: ServiceCIDR | undefined): Plan {
  if (!cidr) return { step: "create", object: defaultServiceCidr() };
  if (cidr.metadata.deletionTimestamp) return { step: "none" };
  const cidrs = cidr.spec?.cidrs ?? [];
  if (cidrs.length !== 1 || cidrs[0] !== SERVICE_CIDR) {
    const message = `The default ServiceCIDR [${cidrs.join(" ")}] does not match the controller flag configurations [${SERVICE_CIDR}]`;
    return { step: "warn", warning: { reason: "KubernetesDefaultServiceCIDRInconsistent", message } };
  }
  const ready = readyCondition(cidr);
  if (ready?.status === "True") return { step: "none" };
  if (ready?.status === "False") {
    const message = `Configuration matches, but ${ready.message}`;
    return { step: "warn", warning: { reason: ready.reason ?? "", message } };
  }
  return { step: "ready" };
}
