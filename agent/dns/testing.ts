import type { EndpointSlice, Namespace, Service } from "../../shared/api/types.ts";
import { type Informer, keyOf } from "../informer/index.ts";

/** A set of objects for tests, whose changes are told at once. */
export function setOf<T extends { metadata: { name: string; namespace?: string } }>(...objects: T[]) {
  const all = new Map(objects.map((object) => [keyOf(object), object]));
  const listeners = new Set<(keys: ReadonlySet<string>) => void>();
  let isKnown = true;
  const tell = (...keys: string[]) => {
    for (const listener of listeners) listener(new Set(keys));
  };
  const informer: Informer<T> = {
    isKnown: () => isKnown,
    isSynced: () => isKnown,
    known: Promise.resolve(),
    list: () => [...all.values()],
    get: (key) => all.get(key),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    informer,
    put(object: T) {
      all.set(keyOf(object), object);
      tell(keyOf(object));
    },
    remove(key: string) {
      all.delete(key);
      tell(key);
    },
    setKnown(value: boolean) {
      isKnown = value;
    },
  };
}

export const namespace = (name: string): Namespace => ({ metadata: { name }, spec: {} });

export function service(name: string, spec: Service["spec"], namespace = "default"): Service {
  return { metadata: { name, namespace }, spec };
}

export function slice(
  serviceName: string,
  endpoints: NonNullable<EndpointSlice["endpoints"]>,
  { ports = [], name = `${serviceName}-abcde` }: { ports?: EndpointSlice["ports"]; name?: string } = {},
): EndpointSlice {
  return {
    metadata: { name, namespace: "default", labels: { "kubernetes.io/service-name": serviceName } },
    addressType: endpoints[0]?.addresses[0]?.includes(":") ? "IPv6" : "IPv4",
    endpoints,
    ports,
  };
}

/** kube-dns, a Service with two addresses, headless ones with and without ports, another's name. */
export function cluster() {
  const http = { name: "http", port: 80, protocol: "TCP" };
  const headless = { clusterIP: "None", clusterIPs: ["None"] };
  const services = setOf<Service>(
    service(
      "kube-dns",
      {
        clusterIP: "10.96.0.10",
        clusterIPs: ["10.96.0.10"],
        ports: [
          { name: "dns", port: 53, protocol: "UDP" },
          { name: "dns-tcp", port: 53, protocol: "TCP" },
        ],
      },
      "kube-system",
    ),
    service("dual", { clusterIP: "10.96.0.20", clusterIPs: ["10.96.0.20", "fd00:96::20"], ports: [http] }),
    service("nats", { ...headless, ports: [{ name: "client", port: 4222, protocol: "TCP" }] }),
    service("bare", headless),
    service("empty", { ...headless, ports: [http] }),
    service("out", { type: "ExternalName", externalName: "db.example.com" }),
    service("in", { type: "ExternalName", externalName: "dual.default.svc.cluster.local" }),
    service("round", { type: "ExternalName", externalName: "round.default.svc.cluster.local" }),
  );
  const slices = setOf<EndpointSlice>(
    slice(
      "nats",
      [
        { addresses: ["10.244.0.5"], hostname: "nats-0", conditions: { ready: true } },
        { addresses: ["10.244.1.6"], conditions: {} },
        { addresses: ["10.244.1.7"], conditions: { ready: false } },
      ],
      { ports: [{ name: "client", port: 4222, protocol: "TCP" }] },
    ),
    slice("nats", [{ addresses: ["fd00:244::"], conditions: { ready: true } }], {
      ports: [{ name: "client", port: 4222, protocol: "TCP" }],
      name: "nats-6",
    }),
    slice("bare", [{ addresses: ["10.244.0.9"], conditions: { ready: true } }]),
    slice("empty", []),
  );
  const namespaces = setOf<Namespace>(namespace("default"), namespace("kube-system"));
  const sources = {
    services: services.informer,
    endpointSlices: slices.informer,
    namespaces: namespaces.informer,
  };
  return { services, slices, namespaces, sources };
}
