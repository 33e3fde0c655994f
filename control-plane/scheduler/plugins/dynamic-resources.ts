import { matchesTerm } from "../../../shared/api/node-selector.ts";
import type { NodeSelector, Pod, ResourceClaim } from "../../../shared/api/types.ts";
import { type Allocation, claimsOf, DeviceAllocator, whyUnallocatable } from "../devices/index.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import {
  type Cluster,
  type FilterPlugin,
  PluginFailure,
  type ScorePlugin,
  scaleToMax,
  unresolvable,
} from "../framework/plugin.ts";

export const NAME = "DynamicResources";
export const REASON = "resourceclaim not available on the node";
/** Of alternatives in a request: the first is worth so many points, each further one less by one. */
const MAX_ALTERNATIVES = 8;

/** A pod goes where the devices of its claims are, and where those can be had that it has none of yet. */
export const dynamicResourcesFilter: FilterPlugin = {
  name: NAME,
  isReady: ({ pod }, { devices }) => !("never" in claimsOf(pod, devices)),
  preFilter: ({ pod }, { devices }) => {
    const claims = claimsOf(pod, devices);
    if ("never" in claims) return claims;
    const never = claims.map((claim) => whyUnallocatable(claim, devices)).find((why) => why !== undefined);
    return never === undefined ? undefined : { never };
  },
  postFilter: ({ pod, uid }, { devices }, refusals) => {
    const claims = claimsOf(pod, devices);
    if ("never" in claims || claims.length === 0 || claims.some((claim) => whyUnallocatable(claim, devices))) {
      return { message: "no new claims to deallocate" };
    }
    const isElsewhere = (claim: ResourceClaim) => refusals.some(({ node }) => isAway(claim.status?.allocation, node));
    const isUnused = ({ status }: ResourceClaim) => (status?.reservedFor ?? []).every((user) => user.uid === uid);
    const deallocate = claims.find((claim) => isElsewhere(claim) && isUnused(claim));
    if (deallocate) return { message: "deallocation of ResourceClaim completed", deallocate };
    return { message: "still not schedulable" };
  },
  prepare: ({ pod }, cluster) => {
    const chooser = chooserFor(pod, cluster);
    return (
      chooser && {
        filter: (node) => {
          const chosen = chooser.choose(node);
          return "reason" in chosen ? unresolvable(chosen.reason) : undefined;
        },
      }
    );
  },
};

/** The earlier in their lists the alternatives stand that a node can give, the better. */
export const dynamicResourcesScore: ScorePlugin = {
  name: NAME,
  weight: 2,
  prepare: ({ pod }, _feasible, cluster) => {
    const chooser = chooserFor(pod, cluster);
    const hasAlternatives = chooser?.claims.some(({ spec }) =>
      spec.devices?.requests?.some(({ firstAvailable }) => firstAvailable),
    );
    if (!chooser || !hasAlternatives) return undefined;
    return {
      score: (node) => {
        const chosen = chooser.choose(node);
        if ("reason" in chosen) return 0;
        return chooser.claims.reduce((sum, claim) => sum + pointsOf(claim, chosen.get(claim)), 0);
      },
      normalize: (scores) => scaleToMax(scores, false),
    };
  },
};

/** What is to be allocated for the pod on the node that it gets; empty where its claims have all they need. */
export function allocationsOn(pod: Pod, node: NodeInfo, cluster: Cluster): Map<ResourceClaim, Allocation> {
  const chooser = chooserFor(pod, cluster);
  const chosen = chooser?.choose(node) ?? new Map<ResourceClaim, Allocation>();
  if ("reason" in chosen) throw new PluginFailure(NAME, new Error(chosen.reason));
  for (const claim of chosen.keys()) if (claim.status?.allocation) chosen.delete(claim);
  return chosen;
}

/** Undefined: the pod has no claims that could be looked at. */
function chooserFor(pod: Pod, cluster: Cluster) {
  const claims = claimsOf(pod, cluster.devices);
  if ("never" in claims || claims.length === 0) return undefined;
  const unallocated = claims.filter(({ status }) => !status?.allocation);
  const allocator = unallocated.length > 0 ? new DeviceAllocator(cluster.devices) : undefined;
  /** The devices of each claim on a node, those that it has as those that it would get. */
  const choose = (node: NodeInfo): Map<ResourceClaim, Allocation> | { reason: string } => {
    const present = claims.flatMap((claim) => (claim.status?.allocation ? [[claim, claim.status.allocation]] : []));
    const allocations = new Map(present as [ResourceClaim, Allocation][]);
    const isOneAway = [...allocations.values()].some((allocation) => isAway(allocation, node));
    if (allocator) {
      const found = orFailure(() => allocator.allocate(node.node, unallocated));
      if ("reason" in found) return found;
      unallocated.forEach((claim, i) => void allocations.set(claim, found[i]!));
    }
    return isOneAway ? { reason: REASON } : allocations;
  };
  return { claims, choose };
}

/** Whether a claim's devices cannot be used on a node. */
function isAway(allocation: Allocation | undefined, { node }: NodeInfo): boolean {
  const terms = (allocation?.nodeSelector as NodeSelector | undefined)?.nodeSelectorTerms;
  return terms !== undefined && !terms.some((term) => matchesTerm(term, node));
}

function orFailure<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new PluginFailure(NAME, error);
  }
}

function pointsOf({ spec }: ResourceClaim, allocation: Allocation | undefined): number {
  const given = new Set(allocation?.devices?.results?.map(({ request }) => request));
  let points = 0;
  for (const { name, firstAvailable = [] } of spec.devices?.requests ?? []) {
    firstAvailable.forEach((sub, i) => {
      if (given.has(`${name}/${sub.name}`)) points += MAX_ALTERNATIVES - i;
    });
  }
  return points;
}
