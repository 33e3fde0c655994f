import type { EndpointAddress, EndpointSubset, Endpoints, Pod, Service } from "../../../shared/api/types.ts";
import { withTriggerTime } from "../endpoint-triggers.ts";
import { isHeadless } from "../service-pods.ts";
import { subsetsOf } from "./subsets.ts";

export const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const CONTROLLER_NAME = "endpoint-controller";
const HEADLESS = "service.kubernetes.io/headless";
const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

/** Addresses in one Endpoints object; what is over is left out, ready ones last (upstream maxCapacity). */
export const MAX_ADDRESSES = 1000;

export type Plan = { write: "none" } | { write: "create" | "update"; endpoints: Endpoints };

/**
 * Brings the Endpoints of a Service to the pods it selects. Pods that are terminating are left out.
 * @param triggerTime of the change that is followed, RFC 3339; it is no reason to write by itself
 */
export function decide(service: Service, pods: Pod[], current: Endpoints | undefined, triggerTime?: string): Plan {
  const { subsets, isTruncated } = limit(subsetsOf(service, pods));
  const labels = labelsOf(service);
  const { [OVER_CAPACITY]: _over, ...own } = current?.metadata.annotations ?? {};
  const annotations = isTruncated ? { ...own, [OVER_CAPACITY]: "truncated" } : own;
  if (current) {
    const isSame =
      JSON.stringify(current.subsets ?? []) === JSON.stringify(subsets) &&
      sameMap(current.metadata.labels, labels) &&
      sameMap(current.metadata.annotations, annotations);
    if (isSame) return { write: "none" };
    const metadata = withTriggerTime({ ...current.metadata, labels, annotations }, triggerTime);
    return { write: "update", endpoints: { ...current, metadata, subsets } };
  }
  const { name, namespace } = service.metadata;
  const made = { name, namespace, labels, ...(isTruncated ? { annotations } : {}) };
  const metadata = withTriggerTime(made, triggerTime);
  return { write: "create", endpoints: { apiVersion: "v1", kind: "Endpoints", metadata, subsets } };
}

function labelsOf(service: Service): Record<string, string> {
  const { [HEADLESS]: _headless, ...own } = service.metadata.labels ?? {};
  return { ...own, ...(isHeadless(service) ? { [HEADLESS]: "" } : {}), [MANAGED_BY]: CONTROLLER_NAME };
}

function limit(subsets: EndpointSubset[]): { subsets: EndpointSubset[]; isTruncated: boolean } {
  let room = MAX_ADDRESSES;
  let isTruncated = false;
  const take = (addresses: EndpointAddress[] | undefined) => {
    const kept = addresses?.slice(0, room);
    if ((kept?.length ?? 0) < (addresses?.length ?? 0)) isTruncated = true;
    room -= kept?.length ?? 0;
    return kept?.length ? kept : undefined;
  };
  const ready = subsets.map(({ addresses }) => take(addresses));
  const limited = subsets.map((subset, i) => {
    const notReadyAddresses = take(subset.notReadyAddresses);
    const addresses = ready[i];
    return {
      ...(addresses ? { addresses } : {}),
      ...(notReadyAddresses ? { notReadyAddresses } : {}),
      ...(subset.ports ? { ports: subset.ports } : {}),
    };
  });
  return { subsets: limited.filter(({ addresses, notReadyAddresses }) => addresses || notReadyAddresses), isTruncated };
}

function sameMap(a: Record<string, string> | undefined, b: Record<string, string>): boolean {
  const keys = Object.keys(b);
  return Object.keys(a ?? {}).length === keys.length && keys.every((key) => a?.[key] === b[key]);
}
