import { isReady } from "../../../shared/api/conditions.ts";
import { EXCLUDED_FROM_BALANCERS } from "../../../shared/api/load-balancer.ts";
import type { EndpointSlice, Node } from "../../../shared/api/types.ts";
import { familyOf, type IpFamily } from "./address-pool.ts";

/** The cluster autoscaler's, on a node that it is about to take away. */
const TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler";

/** What load balancers must know of a node; equal texts mean that nothing of it has changed. */
export const balancerView = (node: Node): string =>
  JSON.stringify([isPartOfBalancers(node), isReady(node), node.status?.addresses]);

export const isPartOfBalancers = ({ metadata, spec }: Node): boolean =>
  metadata.deletionTimestamp === undefined &&
  metadata.labels?.[EXCLUDED_FROM_BALANCERS] === undefined &&
  !spec?.taints?.some(({ key }) => key === TO_BE_DELETED);

/**
 * The addresses by which a Service is reached on the nodes themselves: their external ones where any node has such, or
 * else their internal ones.
 * @param isAnswering whether a node would answer (externalTrafficPolicy Local: only one with endpoints)
 * @param current shown until now; of them those of nodes that are there stay while no node is ready, which says more of
 *   the control plane than of all nodes
 */
export function nodeAddresses(
  nodes: readonly Node[],
  families: readonly IpFamily[],
  isAnswering: (node: string) => boolean,
  current: readonly string[],
): string[] {
  const parts = nodes.filter((node) => isPartOfBalancers(node));
  const ready = parts.filter(isReady);
  const answering = (ready.length > 0 ? ready : parts).filter(({ metadata }) => isAnswering(metadata.name));
  const external = answering.flatMap((node) => addressesOf(node, "ExternalIP", families));
  const found = external.length > 0 ? external : answering.flatMap((node) => addressesOf(node, "InternalIP", families));
  const addresses = [...new Set(found)].sort();
  return ready.length > 0 ? addresses : addresses.filter((address) => current.includes(address));
}

const addressesOf = ({ status }: Node, kind: string, families: readonly IpFamily[]): string[] =>
  (status?.addresses ?? [])
    .filter(({ type, address }) => type === kind && families.includes(familyOf(address)!))
    .map(({ address }) => address);

/** The nodes with ready endpoints of a Service; where there are none, those with such as still serve while they end. */
export function nodesWithEndpoints(slices: readonly EndpointSlice[]): Set<string> {
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false);
  const used =
    ready.length > 0 ? ready : endpoints.filter(({ conditions }) => conditions?.serving && conditions.terminating);
  return new Set(used.flatMap(({ nodeName }) => (nodeName ? [nodeName] : [])));
}
