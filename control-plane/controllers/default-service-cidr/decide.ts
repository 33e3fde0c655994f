import type { ClusterNetwork } from "../../../shared/api/cluster-network.ts";
import { readyCondition } from "../../../shared/api/conditions.ts";
import { defaultServiceCidr, upgradedServiceCidr } from "../../../shared/api/service-cidr.ts";
import type { ServiceCIDR } from "../../../shared/api/types.ts";

export interface Warning {
  reason: string;
  message: string;
}

export type Plan =
  | { step: "none" }
  | { step: "create"; object: ServiceCIDR }
  | { step: "update"; object: ServiceCIDR }
  | { step: "ready" }
  | { step: "warn"; warning: Warning };

/**
 * Keeps the ServiceCIDR `kubernetes`. It gets the second family that its cluster gets. One that was made otherwise, or
 * that somebody calls not ready, is only complained of: its maker has to see to it.
 */
export function decide(cidr: ServiceCIDR | undefined, network: ClusterNetwork): Plan {
  if (!cidr) return { step: "create", object: defaultServiceCidr(network) };
  if (cidr.metadata.deletionTimestamp) return { step: "none" };
  const upgraded = upgradedServiceCidr(cidr, network);
  if (upgraded) return { step: "update", object: upgraded };
  const cidrs = cidr.spec?.cidrs ?? [];
  if (cidrs.join() !== network.serviceCidrs.join()) {
    const message = `The default ServiceCIDR [${cidrs.join(" ")}] does not match the controller flag configurations [${network.serviceCidrs.join(" ")}]`;
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
