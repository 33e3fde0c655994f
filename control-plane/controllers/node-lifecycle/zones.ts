import { isReady } from "../../../shared/api/conditions.ts";
import type { Node } from "../../../shared/api/types.ts";

const NOT_IN_DISRUPTION = "node.kubernetes.io/exclude-disruption";
/** In this order: nodes of before 1.17 have the older names, which win. */
const ZONE_LABELS = ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"];
const REGION_LABELS = ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"];

/** Nodes a second that begin to lose their pods (kube-controller-manager's --node-eviction-rate). */
const USUAL_RATE = 0.1;
/** The same where much of a large zone is lost (--secondary-node-eviction-rate). */
const DISRUPTED_RATE = 0.01;
/** So large (--large-cluster-size-threshold); smaller zones evict nothing then. */
const LARGE_ZONE = 50;
/** Much: more than two nodes, and this part of them (--unhealthy-zone-threshold). */
const DISRUPTED_PART = 0.55;
const MIN_DISRUPTED = 3;

/** Nodes of one zone fail together, as far as is known; those without labels are one zone. */
export function zoneOf({ metadata }: Node): string {
  const labelled = (names: string[]) => names.map((name) => metadata.labels?.[name]).find((zone) => zone !== undefined);
  const [region = "", zone = ""] = [labelled(REGION_LABELS), labelled(ZONE_LABELS)];
  return region === "" && zone === "" ? "" : `${region}:\0:${zone}`;
}

/**
 * How many nodes of a zone may get their NoExecute taint a second; 0: none. "none at all": no node anywhere is ready, and
 * it is more likely the control plane that is cut off. A zone that is lost whole evicts at the usual rate while others
 * stand: its pods can run there.
 */
export function decideEvictionRate(zone: string, nodes: Node[]): number | "none at all" {
  const counted = nodes.filter(({ metadata }) => metadata.labels?.[NOT_IN_DISRUPTION] === undefined);
  if (!counted.some(isReady)) return "none at all";
  const ofZone = counted.filter((node) => zoneOf(node) === zone);
  const lost = ofZone.filter((node) => !isReady(node)).length;
  const isPartly = lost < ofZone.length && lost >= MIN_DISRUPTED && lost / ofZone.length >= DISRUPTED_PART;
  if (!isPartly) return USUAL_RATE;
  return ofZone.length > LARGE_ZONE ? DISRUPTED_RATE : 0;
}
