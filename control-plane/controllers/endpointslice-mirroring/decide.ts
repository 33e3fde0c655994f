import { SERVICE_NAME, TRIGGER_TIME } from "../../../shared/api/endpoint-slice.ts";
import { parseIp, printIp } from "../../../shared/api/ip.ts";
import { ENDPOINTS } from "../../../shared/api/refs.ts";
import type {
  CoreV1EndpointPort,
  Endpoint,
  EndpointAddress,
  EndpointSlice,
  Endpoints,
  Service,
} from "../../../shared/api/types.ts";
import { newControllerRef } from "../../runtime/index.ts";
import { MANAGED_BY } from "../endpointslice/labels.ts";

export const CONTROLLER_NAME = "endpointslicemirroring-controller.k8s.io";
/** Addresses of one set of ports that are mirrored (upstream's --mirroring-max-endpoints-per-subset). */
export const MAX_ADDRESSES = 1000;

const SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";
const LEADER = "control-plane.alpha.kubernetes.io/leader";
const NOT_MIRRORED = new Set([TRIGGER_TIME, "kubectl.kubernetes.io/last-applied-configuration"]);

export interface Plan {
  create: EndpointSlice[];
  update: EndpointSlice[];
  remove: EndpointSlice[];
  /** Addresses that are no IP, and those left out because there are too many. */
  invalid: number;
  skipped: number;
}

/** Whether hand-made Endpoints are to be shown as slices: those of a Service without a selector. */
export function isMirrored(endpoints: Endpoints | undefined, service: Service | undefined): endpoints is Endpoints {
  if (!endpoints || endpoints.metadata.deletionTimestamp || !service) return false;
  const { labels, annotations } = endpoints.metadata;
  if (labels?.[SKIP_MIRROR] === "true" || annotations?.[LEADER] !== undefined) return false;
  return service.spec?.selector === undefined;
}

/** The slices that mirror Endpoints: one for each set of ports and family of addresses. */
export function decide(endpoints: Endpoints, present: readonly EndpointSlice[]): Plan {
  const { slices, invalid, skipped } = wantedSlices(endpoints);
  const plan: Plan = { create: [], update: [], remove: [], invalid, skipped };
  const left = new Set(present);
  for (const wanted of slices) {
    const key = keyOf(wanted);
    const [current] = [...left].filter((slice) => keyOf(slice) === key);
    if (!current) {
      plan.create.push(wanted);
      continue;
    }
    left.delete(current);
    if (isSame(current, wanted)) continue;
    const { generateName: _generateName, ...metadata } = wanted.metadata;
    const { name, resourceVersion } = current.metadata;
    plan.update.push({ ...wanted, metadata: { ...metadata, name, resourceVersion } });
  }
  plan.remove = [...left];
  return plan;
}

interface PortSet {
  ports: CoreV1EndpointPort[];
  ready: EndpointAddress[];
  notReady: EndpointAddress[];
}

function wantedSlices(endpoints: Endpoints): { slices: EndpointSlice[]; invalid: number; skipped: number } {
  const slices: EndpointSlice[] = [];
  let invalid = 0;
  let skipped = 0;
  for (const { ports, ready, notReady } of repack(endpoints)) {
    const byFamily: Record<"IPv4" | "IPv6", Endpoint[]> = { IPv4: [], IPv6: [] };
    let taken = 0;
    let wrong = 0;
    for (const [list, isReady] of [[ready, true] as const, [notReady, false] as const]) {
      for (const address of list) {
        if (taken >= MAX_ADDRESSES) break;
        const endpoint = endpointOf(address, isReady);
        if (!endpoint) {
          wrong += 1;
          continue;
        }
        byFamily[endpoint.addresses[0]!.includes(":") ? "IPv6" : "IPv4"].push(endpoint);
        taken += 1;
      }
    }
    invalid += wrong;
    skipped += ready.length + notReady.length - taken;
    for (const addressType of ["IPv4", "IPv6"] as const)
      if (byFamily[addressType].length > 0)
        slices.push(newSlice(endpoints, { ports, addressType, list: byFamily[addressType] }));
  }
  return { slices, invalid, skipped };
}

/** Subsets with the same ports are one; an address that is listed as both is not ready. */
function repack({ subsets = [] }: Endpoints): PortSet[] {
  const addresses = new Map<
    string,
    { address: EndpointAddress; ports: Map<string, CoreV1EndpointPort>; isReady: boolean }
  >();
  for (const subset of subsets) {
    for (const [list, isReady] of [[subset.addresses, true] as const, [subset.notReadyAddresses, false] as const]) {
      for (const address of list ?? []) {
        const key = JSON.stringify([address.ip, address.targetRef?.uid ?? ""]);
        const entry = addresses.get(key) ?? { address, ports: new Map(), isReady: true };
        entry.isReady &&= isReady;
        for (const port of subset.ports ?? []) entry.ports.set(JSON.stringify(port), port);
        addresses.set(key, entry);
      }
    }
  }
  const sets = new Map<string, PortSet>();
  for (const { address, ports, isReady } of addresses.values()) {
    const texts = [...ports.keys()].sort();
    const key = texts.join();
    const set = sets.get(key) ?? { ports: texts.map((text) => ports.get(text)!), ready: [], notReady: [] };
    (isReady ? set.ready : set.notReady).push(address);
    sets.set(key, set);
  }
  return [...sets.values()];
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint | undefined {
  const parsed = parseIp(ip);
  if (!parsed) return undefined;
  return {
    addresses: [printIp(parsed)],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    ...(targetRef ? { targetRef } : {}),
  };
}

function newSlice(
  endpoints: Endpoints,
  { ports, addressType, list }: { ports: CoreV1EndpointPort[]; addressType: "IPv4" | "IPv6"; list: Endpoint[] },
): EndpointSlice {
  const { metadata } = endpoints;
  const { name, namespace } = metadata;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !NOT_MIRRORED.has(key));
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: "",
      generateName: `${name}-`,
      namespace,
      labels: { ...metadata.labels, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER_NAME },
      ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
      ownerReferences: [newControllerRef(endpoints, ENDPOINTS)],
    },
    addressType,
    endpoints: list,
    ports: ports.map(({ name: portName = "", port, protocol, appProtocol }) => ({
      name: portName,
      port,
      protocol,
      ...(appProtocol ? { appProtocol } : {}),
    })),
  };
}

/** Ports and family tell the slices of one Endpoints apart. */
const keyOf = ({ addressType, ports }: EndpointSlice): string =>
  JSON.stringify([
    addressType,
    (ports ?? [])
      .map(({ name, port, protocol, appProtocol }) => JSON.stringify([name ?? "", port, protocol, appProtocol]))
      .sort(),
  ]);

function isSame(a: EndpointSlice, b: EndpointSlice): boolean {
  const texts = ({ endpoints }: EndpointSlice) =>
    (endpoints ?? [])
      .map((endpoint) => JSON.stringify(Object.entries(endpoint).sort(([x], [y]) => (x < y ? -1 : 1))))
      .sort();
  const shown = (slice: EndpointSlice) =>
    JSON.stringify([
      texts(slice),
      Object.entries(slice.metadata.labels ?? {}).sort(),
      Object.entries(slice.metadata.annotations ?? {}).sort(),
      slice.metadata.ownerReferences?.map(({ uid }) => uid),
    ]);
  return shown(a) === shown(b);
}
