import { isReady } from "../../../shared/api/conditions.ts";
import { SERVICES } from "../../../shared/api/refs.ts";
import type { DiscoveryV1EndpointPort, Endpoint, EndpointSlice, Pod, Service } from "../../../shared/api/types.ts";
import { newControllerRef } from "../../runtime/index.ts";
import { withTriggerTime } from "../endpoint-triggers.ts";
import { hasEndpoint, hostnameOf, ipsOf, isHeadless, portsOn } from "../service-pods.ts";
import { withHints } from "./hints.ts";
import { labelsOf } from "./labels.ts";
import { hasTopologyMode, topologyHints } from "./topology-hints.ts";
import type { TopologyOutcome } from "./topology-notes.ts";
import type { ZoneShares } from "./zone-shares.ts";

/** Upstream's --max-endpoints-per-slice. */
export const MAX_ENDPOINTS = 100;

export type AddressType = "IPv4" | "IPv6";

export interface Plan {
  create: EndpointSlice[];
  update: EndpointSlice[];
  remove: EndpointSlice[];
  /** Why pods were left out, where that is a reason to tell of. */
  skipped?: string[];
  /** What came of the wish for topology hints, if the Service has it. */
  topology?: TopologyOutcome[];
}

export interface ServiceState {
  service: Service;
  /** Those it selects. */
  pods: Pod[];
  /** Those of this controller. */
  slices: EndpointSlice[];
  /** Of the change that is followed, RFC 3339; it is no reason to write by itself. */
  triggerTime?: string | undefined;
  /** The zone of a node: "" if it has none, undefined if there is no such node. */
  zoneOf(node: string): string | undefined;
  /** Asked for only where a Service wishes for topology hints. */
  shares?(): ZoneShares | undefined;
}

/** Brings the slices of a Service to its pods, changing as few of them as it can: every node watches them. */
export function decide(state: ServiceState): Plan {
  const plan: Plan = { create: [], update: [], remove: [] };
  const types = addressTypesOf(state.service);
  for (const type of types) decideFor(type, state, plan);
  for (const slice of state.slices) if (!types.includes(slice.addressType as AddressType)) plan.remove.push(slice);
  // An empty list is nothing: its field is nobody's.
  const written = ({ endpoints, ports, ...slice }: EndpointSlice): EndpointSlice => ({
    ...slice,
    metadata: withTriggerTime(slice.metadata, state.triggerTime),
    ...(endpoints?.length ? { endpoints } : {}),
    ...(ports?.length ? { ports } : {}),
  });
  const skipped = podsWithoutNode(state);
  return {
    ...plan,
    create: plan.create.map(written),
    update: plan.update.map(written),
    ...(skipped.length > 0 ? { skipped } : {}),
  };
}

function podsWithoutNode({ service, pods, zoneOf }: ServiceState): string[] {
  if (service.spec?.publishNotReadyAddresses) return [];
  const { namespace, name } = service.metadata;
  return pods
    .filter((pod) => hasEndpoint(pod) && zoneOf(pod.spec.nodeName ?? "") === undefined)
    .map(({ metadata, spec }) => {
      const node = spec.nodeName ?? "";
      return `skipping Pod ${metadata.name} for Service ${namespace}/${name}: Node ${node} Not Found`;
    });
}

function addressTypesOf({ spec }: Service): AddressType[] {
  const families = (spec?.ipFamilies ?? []).filter((family) => family === "IPv4" || family === "IPv6");
  if (families.length > 0) return families;
  if (isHeadless({ spec } as Service)) return ["IPv4", "IPv6"];
  return [spec?.clusterIP?.includes(":") ? "IPv6" : "IPv4"];
}

function decideFor(addressType: AddressType, state: ServiceState, plan: Plan): void {
  const { service } = state;
  const existing = state.slices.filter((slice) => slice.addressType === addressType);
  const groups = desiredEndpoints(addressType, state);
  if (hasTopologyMode(service)) {
    const refused = spreadByTopology([...groups.values()], state.shares?.());
    plan.topology = [...(plan.topology ?? []), { addressType, ...(refused === undefined ? {} : { refused }) }];
  } else for (const group of groups.values()) group.endpoints = withHints(group.endpoints, service);
  const current = new Map<string, EndpointSlice[]>();
  const remove: EndpointSlice[] = [];
  for (const slice of existing) {
    const ports = portsKey(slice.ports ?? []);
    if (!isOwnedBy(slice, service) || !groups.has(ports)) remove.push(slice);
    else current.set(ports, [...(current.get(ports) ?? []), slice]);
  }
  const create: EndpointSlice[] = [];
  for (const [key, { ports, endpoints }] of groups)
    fill(
      { service, addressType, ports, endpoints, slices: current.get(key) ?? [] },
      { create, update: plan.update, remove },
    );

  // A Service without endpoints has one empty slice, so that consumers see that it was looked at.
  if (existing.length === remove.length && create.length === 0) {
    const placeholder = newSlice(service, addressType, []);
    const kept = remove.findIndex((slice) => remove.length === 1 && isSameSlice(slice, placeholder));
    if (kept >= 0) remove.splice(kept, 1);
    else create.push(placeholder);
  }
  reuse(service, { create, update: plan.update, remove });
  plan.create.push(...create);
  plan.remove.push(...remove);
}

/** A slice that would go becomes one that is missing: watchers see one change instead of two. */
function reuse(service: Service, { create, update, remove }: Plan): void {
  for (const slice of [...remove]) {
    if (!isOwnedBy(slice, service)) continue;
    const next = create.pop();
    if (!next) return;
    remove.splice(remove.indexOf(slice), 1);
    const { name, uid, resourceVersion } = slice.metadata;
    update.push({ ...next, metadata: { ...next.metadata, name, uid, resourceVersion } });
  }
}

interface Group {
  ports: DiscoveryV1EndpointPort[];
  endpoints: Endpoint[];
}

/** By ports: pods on which a named port has another number need a slice of their own. */
function desiredEndpoints(type: AddressType, { service, pods, zoneOf }: ServiceState): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    if (!hasEndpoint(pod)) continue;
    const zone = zoneOf(pod.spec.nodeName ?? "");
    // Its node is not there (yet): it will come again with the node.
    if (zone === undefined && !service.spec?.publishNotReadyAddresses) continue;
    const ports = portsOn(pod, service);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    const addresses = addressesOf(pod, type);
    if (addresses.length > 0) group.endpoints.push(endpointOf(pod, { service, addresses, zone }));
  }
  return groups;
}

/** @returns why there are no hints, if so */
function spreadByTopology(groups: Group[], shares: ZoneShares | undefined): string | undefined {
  const result = topologyHints(
    groups.flatMap(({ endpoints }) => endpoints),
    shares,
  );
  if ("refused" in result) return result.refused;
  const hinted = [...result.endpoints];
  for (const group of groups) group.endpoints = hinted.splice(0, group.endpoints.length);
  return undefined;
}

const addressesOf = (pod: Pod, type: AddressType): string[] =>
  ipsOf(pod).filter((ip) => ip.includes(":") === (type === "IPv6"));

function endpointOf(
  pod: Pod,
  { service, addresses, zone }: { service: Service; addresses: string[]; zone: string | undefined },
): Endpoint {
  const { name, namespace, uid } = pod.metadata;
  const serving = isReady(pod);
  const terminating = !!pod.metadata.deletionTimestamp;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameOf(pod, service);
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname ? { hostname } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}

interface Filling extends Group {
  service: Service;
  addressType: AddressType;
  slices: EndpointSlice[];
}

/** Updates slices in place, fills those that change anyway, then one with room; only then makes new ones. */
function fill({ service, addressType, ports, endpoints, slices }: Filling, plan: Plan): void {
  const missing = new Map(endpoints.map((endpoint) => [identityOf(endpoint), endpoint]));
  const updates: EndpointSlice[] = [];
  const unchanged: EndpointSlice[] = [];
  for (const slice of slices) {
    const kept: Endpoint[] = [];
    for (const endpoint of slice.endpoints ?? []) {
      const wanted = missing.get(identityOf(endpoint));
      if (wanted) kept.push(wanted);
      missing.delete(identityOf(endpoint));
    }
    const isChanged = JSON.stringify(kept.map(stateOf)) !== JSON.stringify((slice.endpoints ?? []).map(stateOf));
    const metadata = { ...slice.metadata, labels: labelsOf(service) };
    if (isChanged && kept.length === 0) plan.remove.push(slice);
    else if (isChanged || !isSameLabels(slice, metadata.labels)) updates.push({ ...slice, metadata, endpoints: kept });
    else unchanged.push(slice);
  }
  const left = [...missing.values()];
  for (const slice of updates.sort((a, b) => count(b) - count(a))) take(slice, left);
  if (left.length > 0 && left.length < MAX_ENDPOINTS) {
    const roomy = unchanged
      .filter((slice) => count(slice) + left.length <= MAX_ENDPOINTS)
      .sort((a, b) => count(b) - count(a))[0];
    if (roomy) {
      const slice = { ...roomy, endpoints: [...(roomy.endpoints ?? [])] };
      take(slice, left);
      updates.push(slice);
    }
  }
  plan.update.push(...updates);
  while (left.length > 0) {
    const slice = newSlice(service, addressType, ports);
    take(slice, left);
    plan.create.push(slice);
  }
}

const count = (slice: EndpointSlice): number => slice.endpoints?.length ?? 0;

function take(slice: EndpointSlice, left: Endpoint[]): void {
  const room = MAX_ENDPOINTS - count(slice);
  slice.endpoints = [...(slice.endpoints ?? []), ...left.splice(0, room)];
}

function newSlice(service: Service, addressType: AddressType, ports: DiscoveryV1EndpointPort[]): EndpointSlice {
  const { name, namespace } = service.metadata;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: "",
      generateName: `${name}-`,
      namespace,
      labels: labelsOf(service),
      ownerReferences: [newControllerRef(service, SERVICES)],
    },
    addressType,
    endpoints: [],
    ports,
  };
}

const isOwnedBy = (slice: EndpointSlice, service: Service): boolean =>
  !!slice.metadata.ownerReferences?.some(({ uid, kind }) => uid === service.metadata.uid && kind === "Service");

const isSameSlice = (a: EndpointSlice, b: EndpointSlice): boolean =>
  count(a) === 0 &&
  count(b) === 0 &&
  portsKey(a.ports ?? []) === portsKey(b.ports ?? []) &&
  isSameLabels(a, b.metadata.labels ?? {}) &&
  a.metadata.ownerReferences?.[0]?.uid === b.metadata.ownerReferences?.[0]?.uid;

function isSameLabels(slice: EndpointSlice, labels: Record<string, string>): boolean {
  const current = slice.metadata.labels ?? {};
  const keys = Object.keys(labels);
  return Object.keys(current).length === keys.length && keys.every((key) => current[key] === labels[key]);
}

const portsKey = (ports: DiscoveryV1EndpointPort[]): string =>
  ports
    .map(({ name, port, protocol, appProtocol }) => [name ?? "", port, protocol ?? "TCP", appProtocol ?? ""].join("/"))
    .sort()
    .join(",");

/** What makes two endpoints the same one, in whatever state. */
const identityOf = ({ addresses, hostname, nodeName, zone, targetRef }: Endpoint): string =>
  JSON.stringify([[...addresses].sort(), hostname, nodeName, zone, targetRef?.uid, targetRef?.name]);

const stateOf = (endpoint: Endpoint) => [
  identityOf(endpoint),
  endpoint.conditions?.ready,
  endpoint.conditions?.serving,
  endpoint.conditions?.terminating,
  endpoint.hints,
];
