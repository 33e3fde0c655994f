import type { KubeObject } from "../../shared/api/object.ts";
import { ApiError } from "../../shared/api/status.ts";
import { clusterReader } from "./cluster-reader.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { storageOf } from "./stores.ts";
import { strategyFor } from "./strategy/index.ts";

/** What other objects hold, as far as is known: a dry run writes nothing, so that the store will not tell. */
export async function heldClaims({ context, facts }: ResourceRequest, own?: KubeObject): Promise<Set<string>> {
  const { claims } = strategyFor(facts);
  const objects = claims ? await clusterReader(context.env, context.cluster).list(storageOf(facts)) : [];
  const others = objects.filter(({ metadata }) => metadata.uid !== own?.metadata.uid);
  return new Set(others.flatMap((object) => claims?.(object) ?? []));
}

/** So many numbers that turn out to be taken, and somebody else is drawing as fast as we are. */
const MAX_DRAWS = 32;

/** A claim that another object of the store holds; the caller draws again, or gives up. */
export class ClaimHeld extends ApiError {
  readonly claim: string;

  constructor(claim: string, status: ApiError["status"]) {
    super(status);
    this.name = "ClaimHeld";
    this.claim = claim;
  }
}

/**
 * Tries until nothing that was drawn is held by another object.
 * @param taken gets the claims that were found to be held; the next try must avoid them
 */
export async function withClaims<T>(taken: Set<string>, attempt: () => Promise<T>): Promise<T> {
  for (let draws = 1; ; draws++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ClaimHeld) || taken.has(error.claim) || draws >= MAX_DRAWS) throw error;
      taken.add(error.claim);
    }
  }
}
