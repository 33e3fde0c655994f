import { serviceKeyOf } from "../../shared/api/endpoint-slice.ts";
import { parseIp } from "../../shared/api/ip.ts";
import type { EndpointSlice, Namespace, Service } from "../../shared/api/types.ts";
import { type Informer, keyOf } from "../informer/index.ts";

export interface NamedPort {
  name: string;
  protocol: string;
  port: number;
}

/** The ready endpoints of one slice. */
export interface Endpoints {
  service: string;
  ports: NamedPort[];
  endpoints: { address: string; label: string }[];
}

export interface NameSources {
  services: Informer<Service>;
  endpointSlices: Informer<EndpointSlice>;
  namespaces: Informer<Namespace>;
}

/** What names lead to: looked up by name and by address, kept up with each change, never searched through. */
export interface ClusterNames {
  /** Whether all has been told or is remembered: before, nothing can be said not to exist. */
  isKnown(): boolean;
  hasNamespace(name: string): boolean;
  service(namespace: string, name: string): Service | undefined;
  /** By slice. @param key `<namespace>/<name>` of the Service */
  endpointsOf(key: string): Iterable<Endpoints>;
  /** Names under `svc.<domain>` that an address has, the Services' own first. @param reverseName as `reverseNameOf` makes it */
  namesOf(reverseName: string): string[];
  /** Grows with each change: the zone's serial. */
  serial(): number;
}

/** @param nowSeconds epoch seconds; serials are the time of the last change */
export function createClusterNames(
  { services, endpointSlices, namespaces }: NameSources,
  nowSeconds: () => number,
): ClusterNames {
  const slices = new Map<string, Endpoints>();
  const slicesOfService = new Map<string, Map<string, Endpoints>>();
  const addressesOfService = new Map<string, string[]>();
  const servicesByAddress = new Map<string, Set<string>>();
  const slicesByAddress = new Map<string, Set<string>>();
  let serial = nowSeconds();

  const takeService = (key: string): void => {
    for (const address of addressesOfService.get(key) ?? []) remove(servicesByAddress, address, key);
    const addresses = clusterIpsOf(services.get(key)).map(reverseNameOf);
    if (addresses.length === 0) addressesOfService.delete(key);
    else addressesOfService.set(key, addresses);
    for (const address of addresses) add(servicesByAddress, address, key);
  };
  const takeSlice = (key: string): void => {
    const before = slices.get(key);
    if (before) {
      for (const { address } of before.endpoints) remove(slicesByAddress, reverseNameOf(address), key);
      const others = slicesOfService.get(before.service);
      others?.delete(key);
      if (others?.size === 0) slicesOfService.delete(before.service);
    }
    slices.delete(key);
    const slice = endpointSlices.get(key);
    const now = slice && endpointsOfSlice(slice);
    if (!now) return;
    slices.set(key, now);
    const all = slicesOfService.get(now.service) ?? new Map<string, Endpoints>();
    slicesOfService.set(now.service, all.set(key, now));
    for (const { address } of now.endpoints) add(slicesByAddress, reverseNameOf(address), key);
  };
  const follow = (take: (key: string) => void) => (keys: Iterable<string>) => {
    for (const key of keys) take(key);
    serial = Math.max(serial + 1, nowSeconds());
  };
  services.onChange(follow(takeService));
  endpointSlices.onChange(follow(takeSlice));
  for (const service of services.list()) takeService(keyOf(service));
  for (const slice of endpointSlices.list()) takeSlice(keyOf(slice));

  return {
    isKnown: () => services.isKnown() && endpointSlices.isKnown() && namespaces.isKnown(),
    hasNamespace: (name) => namespaces.get(name) !== undefined,
    service: (namespace, name) => services.get(`${namespace}/${name}`),
    endpointsOf: (key) => slicesOfService.get(key)?.values() ?? [],
    namesOf(reverseName) {
      const own = [...(servicesByAddress.get(reverseName) ?? [])].map(labelsOf);
      const endpoints = [...(slicesByAddress.get(reverseName) ?? [])].flatMap((key) => {
        const slice = slices.get(key)!;
        return slice.endpoints
          .filter(({ address }) => reverseNameOf(address) === reverseName)
          .map(({ label }) => `${label}.${labelsOf(slice.service)}`);
      });
      return [...new Set([...own, ...endpoints])];
    },
    serial: () => serial,
  };
}

const add = (index: Map<string, Set<string>>, at: string, key: string) =>
  void index.set(at, (index.get(at) ?? new Set()).add(key));

function remove(index: Map<string, Set<string>>, at: string, key: string): void {
  const keys = index.get(at);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(at);
}

/** `default/web` is `web.default` in names. */
const labelsOf = (key: string) => key.split("/").reverse().join(".");

/** A Service's own addresses; none of one that is headless, or another's name. */
export function clusterIpsOf(service: Service | undefined): string[] {
  if (!service?.spec || service.spec.type === "ExternalName") return [];
  const { clusterIP, clusterIPs } = service.spec;
  return (clusterIPs?.length ? clusterIPs : [clusterIP ?? ""]).filter((ip) => parseIp(ip) !== undefined);
}

function endpointsOfSlice(slice: EndpointSlice): Endpoints | undefined {
  const { addressType, endpoints, ports } = slice;
  const service = serviceKeyOf(slice);
  if (!service || addressType === "FQDN") return undefined;
  return {
    service,
    ports: (ports ?? []).map((port) => ({
      name: port.name ?? "",
      protocol: port.protocol ?? "TCP",
      port: port.port ?? 0,
    })),
    endpoints: (endpoints ?? [])
      // Not said is ready (discovery.k8s.io/v1).
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses, hostname }) =>
        addresses
          .filter((address) => parseIp(address) !== undefined)
          .map((address) => ({ address, label: hostname || dashed(address) })),
      ),
  };
}

/** The label of an endpoint without a hostname. One may not end with a dash. */
const dashed = (address: string): string => address.replaceAll(/[.:]/g, "-").replace(/-$/, "-0");

/** `10.96.0.10` is `10.0.96.10.in-addr.arpa`. @throws RangeError for what is no address */
export function reverseNameOf(address: string): string {
  const parsed = parseIp(address);
  if (!parsed) throw new RangeError(`not an address: ${address}`);
  const { family, value } = parsed;
  if (family === 4) return `${[0n, 8n, 16n, 24n].map((shift) => (value >> shift) & 0xffn).join(".")}.in-addr.arpa`;
  const digits = value.toString(16).padStart(32, "0");
  return `${[...digits].reverse().join(".")}.ip6.arpa`;
}
