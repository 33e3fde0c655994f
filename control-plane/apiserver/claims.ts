import type { ClusterNetwork } from "../../shared/api/cluster-network.ts";
import type { IpRange } from "../../shared/api/ip.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { IP_ADDRESSES, SERVICE_CIDRS } from "../../shared/api/refs.ts";
import { defaultServiceCidr, isUsable, rangesOf } from "../../shared/api/service-cidr.ts";
import type { ServiceCIDR } from "../../shared/api/types.ts";
import { clusterNetwork } from "./authn/index.ts";
import { ClaimHeld } from "./claim-held.ts";
import { clusterReader } from "./cluster-reader.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { storageOf } from "./stores.ts";
import { type AllocationContext, ipClaim, strategyFor } from "./strategy/index.ts";

/** What an allocation goes by. Only a dry run, which writes nothing, has to know beforehand what others hold. */
export async function allocationContext(
  request: ResourceRequest,
  dryRun: boolean,
  own?: KubeObject,
): Promise<AllocationContext> {
  const { env, cluster } = request.context;
  const network = await clusterNetwork(env, cluster);
  const [ranges, taken] = await Promise.all([
    serviceRanges(request, network),
    dryRun ? heldClaims(request, own) : new Set<string>(),
  ]);
  return { random: Math.random, taken, ranges, families: network.serviceCidrs.map(familyOfCidr), dryRun };
}

/** A cluster that has no ServiceCIDR at all is just being made, or comes from a version that had none. */
async function serviceRanges({ context }: ResourceRequest, network: ClusterNetwork): Promise<IpRange[]> {
  const cidrs = (await clusterReader(context.env, context.cluster).list(SERVICE_CIDRS)) as ServiceCIDR[];
  if (cidrs.length > 0) return cidrs.filter(isUsable).flatMap(rangesOf);
  return rangesOf(defaultServiceCidr(network));
}

const familyOfCidr = (cidr: string) => (cidr.includes(":") ? "IPv6" : "IPv4");

/** What other objects hold, as far as is known. */
async function heldClaims({ context, facts }: ResourceRequest, own?: KubeObject): Promise<Set<string>> {
  const { claims } = strategyFor(facts);
  const objects = claims ? await clusterReader(context.env, context.cluster).list(storageOf(facts)) : [];
  const others = objects.filter(({ metadata }) => metadata.uid !== own?.metadata.uid);
  return new Set(others.flatMap((object) => claims?.(object) ?? []));
}

/** Draws that may meet what is taken before it is looked up: a range that is nearly full has to be searched. */
const BLIND_DRAWS = 4;
/** So many that turn out to be taken, and somebody else is drawing as fast as we are. */
const MAX_DRAWS = 32;

/**
 * Tries until nothing that was drawn is held by another object.
 * @param context its `taken` gets the claims that were found to be held; the next try must avoid them
 */
export async function withClaims<T>(
  request: ResourceRequest,
  { taken }: Pick<AllocationContext, "taken">,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let draws = 1; ; draws++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ClaimHeld) || taken.has(error.claim) || draws >= MAX_DRAWS) throw error;
      taken.add(error.claim);
      if (draws === BLIND_DRAWS) for (const claim of await allClaims(request)) taken.add(claim);
    }
  }
}

/** All that is held, by objects of the kind and by addresses of other makers. */
async function allClaims(request: ResourceRequest): Promise<string[]> {
  const { context } = request;
  const addresses = await clusterReader(context.env, context.cluster).listLive(IP_ADDRESSES);
  return [...(await heldClaims(request)), ...addresses.map(({ metadata }) => ipClaim(metadata.name))];
}
