import { isReady } from "../../../shared/api/conditions.ts";
import type {
  CoreV1EndpointPort,
  EndpointAddress,
  EndpointSubset,
  Endpoints,
  Pod,
  Service,
} from "../../../shared/api/types.ts";
import { hasEndpoint, hostnameOf, isHeadless, portsOn } from "../service-pods.ts";

export const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const CONTROLLER_NAME = "endpoint-controller";
const HEADLESS = "service.kubernetes.io/headless";
const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

/** Addresses in one Endpoints object; what is over is left out, ready ones last (upstream maxCapacity). */
export const MAX_ADDRESSES = 1000;

export type Plan = { write: "none" } | { write: "create" | "update"; endpoints: Endpoints };

/** Brings the Endpoints of a Service to the pods it selects. Pods that are terminating are left out. */
export function decide(service: Service, pods: Pod[], current: Endpoints | undefined): Plan {
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
    const metadata = { ...current.metadata, labels, annotations };
    return { write: "update", endpoints: { ...current, metadata, subsets } };
  }
  const { name, namespace } = service.metadata;
  const metadata = { name, namespace, labels, ...(isTruncated ? { annotations } : {}) };
  return { write: "create", endpoints: { apiVersion: "v1", kind: "Endpoints", metadata, subsets } };
}

function labelsOf(service: Service): Record<string, string> {
  const { [HEADLESS]: _headless, ...own } = service.metadata.labels ?? {};
  return { ...own, ...(isHeadless(service) ? { [HEADLESS]: "" } : {}), [MANAGED_BY]: CONTROLLER_NAME };
}

/** Pods with the same ports form one subset. */
function subsetsOf(service: Service, pods: Pod[]): EndpointSubset[] {
  const includesNotReady = service.spec?.publishNotReadyAddresses === true;
  const groups = new Map<string, Required<EndpointSubset>>();
  for (const pod of pods) {
    const ip = ipOf(pod, service);
    if (!hasEndpoint(pod) || !ip || (pod.metadata.deletionTimestamp && !includesNotReady)) continue;
    const ports = portsOn(pod, service).map(
      ({ name, port = 0, protocol, appProtocol }): CoreV1EndpointPort => ({
        ...(name ? { name } : {}),
        port,
        protocol,
        ...(appProtocol ? { appProtocol } : {}),
      }),
    );
    if (ports.length === 0 && (service.spec?.ports ?? []).length > 0) continue;
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { addresses: [], notReadyAddresses: [], ports };
    groups.set(key, group);
    const isServed = includesNotReady || isReady(pod);
    (isServed ? group.addresses : group.notReadyAddresses).push(addressOf(pod, service, ip));
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => pruned(group));
}

function ipOf({ status }: Pod, { spec }: Service): string | undefined {
  const wantsIPv6 = spec?.ipFamilies?.[0] === "IPv6";
  const ips = status?.podIPs?.map(({ ip }) => ip) ?? (status?.podIP ? [status.podIP] : []);
  return ips.find((ip) => ip.includes(":") === wantsIPv6);
}

function addressOf(pod: Pod, service: Service, ip: string): EndpointAddress {
  const { name, namespace, uid } = pod.metadata;
  const hostname = hostnameOf(pod, service);
  return {
    ...(hostname ? { hostname } : {}),
    ip,
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

const byIp = (a: EndpointAddress, b: EndpointAddress): number => (a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : 0);

function pruned({ addresses, notReadyAddresses, ports }: Required<EndpointSubset>): EndpointSubset {
  return {
    ...(addresses.length > 0 ? { addresses: addresses.sort(byIp) } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses: notReadyAddresses.sort(byIp) } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  };
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
