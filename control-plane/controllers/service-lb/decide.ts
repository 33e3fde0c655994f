import { BALANCED_FROM, balancerIps, FROM_NODES } from "../../../shared/api/load-balancer.ts";
import type { EndpointSlice, Node, Service } from "../../../shared/api/types.ts";
import { type Allocation, AllocationError, allocate } from "./allocate.ts";
import { NODES_CLASS, POOL_CLASS } from "./classes.ts";
import { type BalancerConfig, DEFAULT_CONFIG } from "./config.ts";
import { familiesOf } from "./families.ts";
import { type Holding, holdingOf, isOlder } from "./holding.ts";
import { nodeAddresses, nodesWithEndpoints } from "./node-addresses.ts";

/** As upstream's service controller sets it: the Service waits for its load balancer to be taken down. */
export const CLEANUP_FINALIZER = "service.kubernetes.io/load-balancer-cleanup";

export type Plan =
  /** Not ours, or nothing can be said of it now. */
  | { step: "leave" }
  /** It has addresses of ours and must not have them (any more). */
  | { step: "release" }
  /** It has to wait. @param isHeld something of before has to be taken away */
  | { step: "wait"; problem?: string; isHeld: boolean }
  | { step: "hold"; ips: string[]; from: string };

export interface Situation {
  service: Service;
  /** Undefined while it cannot be read: then nothing is given and nothing taken. */
  config: BalancerConfig | undefined;
  /** What other Services have. */
  others: readonly Holding[];
  /** What this one was given and does not show yet. */
  reserved?: readonly string[];
  nodes: readonly Node[];
  /** The Service's own. */
  slices: readonly EndpointSlice[];
}

/** Whether we gave the Service what it has. */
export const isHeld = ({ metadata }: Service): boolean => metadata.annotations?.[BALANCED_FROM] !== undefined;

/** What a Service of type LoadBalancer should have: addresses of a pool, or of the nodes where no pool is for it. */
export function decide({ service, config, others, reserved, nodes, slices }: Situation): Plan {
  const wants = wantsBalancer(service, config ?? DEFAULT_CONFIG);
  if (service.metadata.deletionTimestamp || !wants) {
    const isEnding = isHeld(service) || (wants && service.metadata.finalizers?.includes(CLEANUP_FINALIZER));
    return isEnding ? { step: "release" } : { step: "leave" };
  }
  if (!config) return { step: "leave" };
  try {
    const allocation = allocate(service, config.pools, others, reserved ?? heldIps(service));
    if (allocation) return { step: "hold", ...allocation };
    const found =
      config.nodeAddresses || isClass(service, NODES_CLASS) ? onNodes(service, { nodes, slices, others }) : undefined;
    return found ? { step: "hold", ...found } : { step: "wait", isHeld: isHeld(service) };
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    return { step: "wait", problem: error.message, isHeld: isHeld(service) };
  }
}

const heldIps = (service: Service) => (isHeld(service) ? balancerIps(service) : []);
const isClass = ({ spec }: Service, name: string) => spec?.loadBalancerClass === name;

function wantsBalancer(service: Service, { enabled }: BalancerConfig): boolean {
  if (service.spec?.type !== "LoadBalancer") return false;
  if (service.spec.loadBalancerClass === undefined) return enabled;
  return isClass(service, POOL_CLASS) || isClass(service, NODES_CLASS);
}

/**
 * On the nodes' own addresses a port is one Service's, as it would be of a program that listened on them.
 * @throws AllocationError if another Service has one of its ports
 */
function onNodes(
  service: Service,
  { nodes, slices, others }: Pick<Situation, "nodes" | "slices" | "others">,
): Allocation | undefined {
  const own = holdingOf(service);
  const isLocal = service.spec?.externalTrafficPolicy === "Local";
  const answering = isLocal ? nodesWithEndpoints(slices) : undefined;
  const ips = nodeAddresses(nodes, familiesOf(service), (node) => answering?.has(node) ?? true, heldIps(service));
  if (ips.length === 0) return undefined;
  const isBefore = (other: Holding) => own.from !== FROM_NODES || own.ips.length === 0 || isOlder(other, own);
  for (const other of others) {
    const port = other.from === FROM_NODES && own.ports.find((each) => other.ports.includes(each));
    if (port && isBefore(other))
      throw new AllocationError(`port ${port} of the nodes is used by ${JSON.stringify(other.key)}`);
  }
  return { ips, from: FROM_NODES };
}
