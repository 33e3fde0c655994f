import { parseIp, printIp } from "../../shared/api/ip.ts";
import type { EndpointSlice } from "../../shared/api/types.ts";
import {
  type Family,
  type Protocol,
  type ServicePort,
  usesClusterEndpoints,
  usesLocalEndpoints,
} from "./service-port.ts";

/** Where a packet may go: an address and a port behind a Service's port. */
export interface Endpoint {
  address: string;
  port: number;
  isReady: boolean;
  isServing: boolean;
  isTerminating: boolean;
  isLocal: boolean;
  zoneHints: string[];
  nodeHints: string[];
}

/** What of a node decides which endpoints it uses. */
export interface Place {
  nodeName: string;
  /** topology.kubernetes.io/zone; empty: none. */
  zone: string;
}

const FAMILIES: Record<string, Family> = { IPv4: "ip", IPv6: "ip6" };

/**
 * The endpoints of a Service's port in one family, sorted, each once: of the same address in two slices the one that is
 * ready counts.
 */
export function endpointsOf(
  slices: readonly EndpointSlice[],
  { family, name, protocol, nodeName }: { family: Family; name: string; protocol: Protocol; nodeName: string },
): Endpoint[] {
  const byAddress = new Map<string, Endpoint>();
  for (const { addressType, endpoints, ports } of slices) {
    if (FAMILIES[addressType] !== family) continue;
    const port = ports?.find((each) => (each.name ?? "") === name && (each.protocol ?? "TCP") === protocol)?.port;
    if (port === undefined || port === null) continue;
    for (const { addresses, conditions, nodeName: node, hints } of endpoints ?? []) {
      const ip = parseIp(addresses[0] ?? "");
      if (!ip || ip.family !== (family === "ip6" ? 6 : 4)) continue;
      const address = printIp(ip);
      const isReady = conditions?.ready ?? true;
      const endpoint: Endpoint = {
        address,
        port,
        isReady,
        isServing: conditions?.serving ?? true,
        isTerminating: conditions?.terminating ?? false,
        isLocal: node === nodeName,
        zoneHints: (hints?.forZones ?? []).map((hint) => hint.name),
        nodeHints: (hints?.forNodes ?? []).map((hint) => hint.name),
      };
      const key = `${address} ${port}`;
      if (!byAddress.get(key)?.isReady) byAddress.set(key, endpoint);
    }
  }
  return [...byAddress.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, endpoint]) => endpoint);
}

export interface Choice {
  /** For traffic that may go to any node. */
  cluster: Endpoint[];
  /** For traffic that must stay on this one. */
  local: Endpoint[];
  /** Both, each once. */
  reachable: Endpoint[];
  /** Whether there is any endpoint to use, on whichever node. */
  hasAny: boolean;
}

/**
 * Which endpoints a node uses for a Service's port: ready ones, near ones if hints say so for all of them; where there is
 * no ready one, those that still serve while they terminate.
 * @see KEP-1669 (terminating endpoints), KEP-2433 (hints), KEP-3015 (trafficDistribution)
 */
export function chooseEndpoints(endpoints: readonly Endpoint[], port: ServicePort, place: Place): Choice {
  const draining = (all: readonly Endpoint[]) => all.filter((each) => each.isServing && each.isTerminating);
  const readyOr = (ready: Endpoint[], others: () => Endpoint[]) => (ready.length > 0 ? ready : others());
  const ready = endpoints.filter((each) => each.isReady);
  const cluster = usesClusterEndpoints(port) ? readyOr(nearest(ready, place), () => draining(endpoints)) : [];
  const here = endpoints.filter((each) => each.isLocal);
  const local = usesLocalEndpoints(port)
    ? readyOr(
        here.filter((each) => each.isReady),
        () => draining(here),
      )
    : [];
  const reachable = [...cluster, ...local.filter((each) => !cluster.includes(each))];
  return { cluster, local, reachable, hasAny: ready.length > 0 || draining(endpoints).length > 0 };
}

/** Those that are meant for this node, else for its zone, where every one has such a hint; all of them otherwise. */
function nearest(ready: Endpoint[], { nodeName, zone }: Place): Endpoint[] {
  for (const [hints, here] of [
    [(each: Endpoint) => each.nodeHints, nodeName],
    [(each: Endpoint) => each.zoneHints, zone],
  ] as const) {
    if (!ready.every((each) => hints(each).length > 0)) continue;
    const near = ready.filter((each) => hints(each).includes(here));
    if (near.length > 0) return near;
  }
  return ready;
}
