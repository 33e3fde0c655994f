import {
  aggregateContainerRequests,
  isPodLevelResource,
  isSidecar,
  parseAmounts,
  qosClass,
} from "../../shared/api/pod-requests.ts";
import { wholeUnits, ZERO_QUANTITY } from "../../shared/api/quantity.ts";
import { type Container, isCritical, type Pod } from "../api/index.ts";
import { requestOf } from "./container-amounts.ts";
import { bytes } from "./quantity.ts";

const GUARANTEED = -997;
const BEST_EFFORT = 1000;
const LEAST_BURSTABLE = 1000 + GUARANTEED;

/**
 * How soon the kernel kills the container when the node runs out of memory, -997 to 1000: the less memory it asked for,
 * the sooner (RES-11). A sidecar is killed no sooner than the containers it serves. What the pod asks for as a whole beyond
 * its containers counts for all of them in equal parts (KEP-2837).
 */
export function oomScoreAdj(pod: Pod, container: Container, nodeMemoryBytes: number): number {
  const { spec } = pod;
  if (isCritical(pod) && spec.priorityClassName === "system-node-critical") return GUARANTEED;
  const qos = qosClass(spec);
  if (qos === "Guaranteed") return GUARANTEED;
  if (qos === "BestEffort") return BEST_EFFORT;
  const shared = sharedRequest(pod);
  const scoreOf = (request: number) => 1000 - Math.floor((1000 * (request + shared)) / nodeMemoryBytes);
  const own = scoreOf(requestOf(container, "memory", bytes));
  const isOwnSidecar = isSidecar(container) && spec.initContainers?.some(({ name }) => name === container.name);
  const served = spec.containers.map((each) => requestOf(each, "memory", bytes));
  const score = isOwnSidecar ? Math.min(own, scoreOf(Math.min(...served))) : own;
  return Math.min(Math.max(score, LEAST_BURSTABLE), BEST_EFFORT - 1);
}

/** Bytes for each container. */
function sharedRequest({ spec }: Pod): number {
  const requests = parseAmounts(spec.resources?.requests);
  if (![...requests.keys()].some(isPodLevelResource)) return 0;
  const ofPod = wholeUnits(requests.get("memory") ?? ZERO_QUANTITY);
  const ofContainers = wholeUnits(aggregateContainerRequests(spec).get("memory") ?? ZERO_QUANTITY);
  const count = spec.containers.length + (spec.initContainers?.length ?? 0);
  return ofPod > ofContainers ? Math.floor((ofPod - ofContainers) / count) : 0;
}
