import { createHash } from "node:crypto";
import { serviceKeyOf } from "../../shared/api/endpoint-slice.ts";
import { parseCidr, parseIp, rangeContains } from "../../shared/api/ip.ts";
import { announcedIps, EXCLUDED_FROM_BALANCERS } from "../../shared/api/load-balancer.ts";
import type { EndpointSlice, Node, Service } from "../../shared/api/types.ts";
import { ROUTES_ANNOTATION } from "../node/index.ts";

/** An address of a load balancer at which this node has to answer. */
export interface Announcement {
  address: string;
  service: { namespace: string; name: string; uid: string };
  /** Whether another node would take over. */
  hasRivals: boolean;
}

export interface View {
  nodeName: string;
  services: readonly Service[];
  endpointSlices: readonly EndpointSlice[];
  nodes: readonly Node[];
}

/**
 * What this node announces. Each node decides for itself, and all come to the same as they see the same objects; when a
 * node goes or comes, only its own addresses change hands.
 */
export function decideAnnouncements({ nodeName, services, endpointSlices, nodes }: View): Announcement[] {
  return services.flatMap((service) => {
    const addresses = announcedIps(service);
    if (addresses.length === 0) return [];
    const { namespace = "", name, uid = "" } = service.metadata;
    const able = nodes.filter((node) => isAble(node, service, endpointSlices));
    return addresses.flatMap((address) => {
      const candidates = onItsNetwork(able, address);
      if (
        elect(
          candidates.map(({ metadata }) => metadata.name),
          address,
        ) !== nodeName
      )
        return [];
      return [{ address, service: { namespace, name, uid }, hasRivals: candidates.length > 1 }];
    });
  });
}

/**
 * The node for an address: the highest in an order that is the address's own (rendezvous hashing).
 * @returns undefined of no candidates
 */
export function elect(candidates: readonly string[], address: string): string | undefined {
  const ranked = candidates.map((name) => ({
    name,
    rank: createHash("sha256").update(`${name}#${address}`).digest("hex"),
  }));
  return ranked.sort((a, b) => (a.rank < b.rank ? 1 : -1))[0]?.name;
}

function isAble(node: Node, service: Service, endpointSlices: readonly EndpointSlice[]): boolean {
  const { metadata, status } = node;
  const is = (condition: string) =>
    status?.conditions?.some(({ type, status: value }) => type === condition && value === "True");
  if (!is("Ready") || is("NetworkUnavailable") || metadata.labels?.[EXCLUDED_FROM_BALANCERS] !== undefined)
    return false;
  // A packet that came to a node without endpoints would be dropped there.
  return service.spec?.externalTrafficPolicy !== "Local" || hasEndpoint(metadata.name, service, endpointSlices);
}

function hasEndpoint(nodeName: string, { metadata }: Service, slices: readonly EndpointSlice[]): boolean {
  return slices.some(
    (slice) =>
      serviceKeyOf(slice) === `${metadata.namespace}/${metadata.name}` &&
      slice.endpoints?.some((endpoint) => endpoint.nodeName === nodeName && endpoint.conditions?.ready !== false),
  );
}

/** Those that say that they are on the address's network, where any says so: elsewhere nobody would hear them. */
function onItsNetwork(nodes: readonly Node[], address: string): readonly Node[] {
  const ip = parseIp(address);
  if (!ip) return [];
  const near = nodes.filter(({ metadata }) =>
    (metadata.annotations?.[ROUTES_ANNOTATION] ?? "").split(",").some((text) => {
      const range = parseCidr(text);
      return range !== undefined && rangeContains(range, ip);
    }),
  );
  return near.length > 0 ? near : nodes;
}
