import type { ClusterNetwork } from "../../../shared/api/cluster-network.ts";
import { SERVICE_NAME } from "../../../shared/api/endpoint-slice.ts";
import { kubernetesService } from "../../../shared/api/kubernetes-service.ts";
import type { EndpointSlice, Endpoints, Service } from "../../../shared/api/types.ts";

const SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";

export interface Current {
  service: Service | undefined;
  endpoints: Endpoints | undefined;
  slice: EndpointSlice | undefined;
}

export type Write<T> = { write: "none" } | { write: "create" | "update" | "replace"; object: T };

export interface Plan {
  service: Write<Service>;
  endpoints: Write<Endpoints>;
  slice: Write<EndpointSlice>;
}

/**
 * Brings the Service of the API and its endpoints to the address where nodes reach the front door. Without one the
 * endpoints are left as they are: hosted, a name is all there is, and nodes serve the Service's address themselves. A
 * Service that is there is not corrected, so that its owner may change it.
 * @see kube-apiserver's reconcilers: the skip-mirror label, one subset, one slice of the same name
 */
export function decide(
  current: Current,
  { advertised, network }: { advertised: { ip: string; port: number } | undefined; network: ClusterNetwork },
): Plan {
  const service: Write<Service> = current.service
    ? { write: "none" }
    : { write: "create", object: kubernetesService(network, advertised?.port) };
  if (!advertised || isLoopback(advertised.ip)) {
    return { service, endpoints: { write: "none" }, slice: { write: "none" } };
  }
  return {
    service,
    endpoints: decideEndpoints(current.endpoints, advertised),
    slice: decideSlice(current.slice, advertised),
  };
}

/** Validation refuses such endpoints, for they would lead a pod to itself. */
const isLoopback = (ip: string): boolean => ip === "::1" || ip.startsWith("127.");

function decideEndpoints(current: Endpoints | undefined, { ip, port }: { ip: string; port: number }): Write<Endpoints> {
  const subsets = [{ addresses: [{ ip }], ports: [{ name: "https", port, protocol: "TCP" }] }];
  if (!current) {
    const metadata = { name: "kubernetes", namespace: "default", labels: { [SKIP_MIRROR]: "true" } };
    return { write: "create", object: { metadata, subsets } };
  }
  const isMarked = current.metadata.labels?.[SKIP_MIRROR] === "true";
  if (isMarked && JSON.stringify(current.subsets) === JSON.stringify(subsets)) return { write: "none" };
  const labels = { ...current.metadata.labels, [SKIP_MIRROR]: "true" };
  return { write: "update", object: { ...current, metadata: { ...current.metadata, labels }, subsets } };
}

function decideSlice(
  current: EndpointSlice | undefined,
  { ip, port }: { ip: string; port: number },
): Write<EndpointSlice> {
  const wanted = {
    addressType: ip.includes(":") ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: "https", port, protocol: "TCP" }],
  };
  const labels = { [SERVICE_NAME]: "kubernetes" };
  const metadata = { name: "kubernetes", namespace: "default", labels };
  if (!current) return { write: "create", object: { metadata, ...wanted } };
  // The type cannot be changed.
  if (current.addressType !== wanted.addressType) return { write: "replace", object: { metadata, ...wanted } };
  const isSame =
    JSON.stringify([current.endpoints, current.ports, current.metadata.labels]) ===
    JSON.stringify([wanted.endpoints, wanted.ports, labels]);
  if (isSame) return { write: "none" };
  return { write: "update", object: { ...current, metadata: { ...current.metadata, labels }, ...wanted } };
}
