import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../../shared/api/types.ts";
import type { ControllerDeps, Informer, LruMap } from "../../runtime/index.ts";

/** Index of claims by the uid of the pod that they were made for. */
export const BY_OWNER = "pod-owner";

export interface Deps extends ControllerDeps {
  pods: Informer<Pod>;
  claims: Informer<ResourceClaim>;
  templates: Informer<ResourceClaimTemplate>;
  /** The names of claims just made, which the cache does not have yet, by `recentKey`. */
  recent: LruMap<string, string>;
}

/** @param podClaim the pod's name for the claim */
export const recentKey = (podUid: string, podClaim: string) => `${podUid}/${podClaim}`;
