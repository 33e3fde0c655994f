import type { EndpointSlice, Service } from "../../shared/api/types.ts";

export const NAMESPACE = "bench-services";
export const PORT = 80;
export const TARGET_PORT = 8080;
const ENDPOINTS = 3;
/** As many Services lead to servers that answer, so that a change of each can be seen. */
export const ANSWERING = 100;

/** Two sets of addresses with a server on each: a change leads from one to the other. */
export const SERVERS = {
  one: ["10.244.1.1", "10.244.1.2", "10.244.1.3"],
  two: ["10.244.2.1", "10.244.2.2", "10.244.2.3"],
} as const;

/** @param clusterIp none: the API chooses */
export function benchService(index: number, clusterIp?: string): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `service-${index}`, namespace: NAMESPACE, resourceVersion: clusterIp && "1" },
    spec: {
      ...(clusterIp && { clusterIP: clusterIp, clusterIPs: [clusterIp] }),
      type: "ClusterIP",
      ports: [{ name: "http", port: PORT, targetPort: TARGET_PORT, protocol: "TCP" }],
    },
  };
}

/** @param lead where to, of those that answer */
export function benchSlice(index: number, lead: keyof typeof SERVERS = "one", resourceVersion?: string): EndpointSlice {
  const name = `service-${index}`;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-by-hand`,
      namespace: NAMESPACE,
      labels: { "kubernetes.io/service-name": name },
      resourceVersion,
    },
    addressType: "IPv4",
    ports: [{ name: "http", port: TARGET_PORT, protocol: "TCP" }],
    endpoints: addresses(index, lead).map((address) => ({
      addresses: [address],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: NODE_NAME,
    })),
  };
}

export const NODE_NAME = "bench";

/** Of others each has addresses of its own, as pods do. */
const addresses = (index: number, lead: keyof typeof SERVERS): readonly string[] =>
  index < ANSWERING
    ? SERVERS[lead]
    : Array.from({ length: ENDPOINTS }, (_, each) => dotted((10 << 24) + (128 << 16) + index * ENDPOINTS + each));

export const dotted = (address: number): string => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");

/** Of a Service, where no API gives it one: from the middle of 10.96.0.0/12. */
export const addressOf = (index: number): string => dotted((10 << 24) + (100 << 16) + index);
