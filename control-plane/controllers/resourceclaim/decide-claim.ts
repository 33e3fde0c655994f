import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import { RESOURCE_CLAIM_FINALIZER } from "../../../shared/api/resource-claim.ts";
import type { Pod, ResourceClaim } from "../../../shared/api/types.ts";
import { controllerOf } from "../../runtime/index.ts";

type Consumer = NonNullable<NonNullable<ResourceClaim["status"]>["reservedFor"]>[number];

export interface ClaimPlan {
  /** The claim's new status, where consumers are gone or its devices are to be given back. */
  status?: NonNullable<ResourceClaim["status"]>;
  /** Nothing keeps it any more. */
  removeFinalizer: boolean;
  /** It was made for a pod that will not run. */
  remove: boolean;
}

/** A pod that does not need its claims any more: it has ended, or was deleted before it had a node. */
export const isPodDone = (pod: Pod): boolean =>
  isPodTerminal(pod) || (!!pod.metadata.deletionTimestamp && !pod.spec.nodeName);

/**
 * What is to be done for a claim. Its devices are given back with its last consumer, so that the next one may be placed
 * anywhere; a claim that was allocated but never used keeps them until it is deleted.
 * @param isGone whether a pod that uses the claim is not there any more, or done
 * @param owner the pod of the name that the claim was made for, if it is known
 */
export function decideClaim(
  claim: ResourceClaim,
  { isGone, owner }: { isGone(consumer: Consumer): boolean; owner: Pod | undefined },
): ClaimPlan {
  const { status = {}, metadata } = claim;
  const { reservedFor = [] } = status;
  const remaining = reservedFor.filter((consumer) => !(isPod(consumer) && isGone(consumer)));
  const hasFinalizer = metadata.finalizers?.includes(RESOURCE_CLAIM_FINALIZER) ?? false;
  const isUnused = remaining.length === 0;
  const wasUsed = reservedFor.length > 0;
  const isGivenBack = hasFinalizer && isUnused && (wasUsed || !!metadata.deletionTimestamp);
  const { allocation, ...others } = status;
  const isChanged = remaining.length < reservedFor.length || (isGivenBack && allocation !== undefined);
  const { reservedFor: _before, ...rest } = others;
  const plan: ClaimPlan = {
    removeFinalizer: isGivenBack,
    remove: isUnused && !metadata.deletionTimestamp && isOwnerDone(claim, owner),
  };
  if (isChanged) {
    plan.status = {
      ...rest,
      ...(allocation && !isGivenBack ? { allocation } : {}),
      ...(isUnused ? {} : { reservedFor: remaining }),
    };
  }
  return plan;
}

export const isPod = ({ apiGroup = "", resource }: Consumer): boolean => apiGroup === "" && resource === "pods";

/** Whether the pod that a claim was made for will not run; one that is not known may still come. */
function isOwnerDone(claim: ResourceClaim, owner: Pod | undefined): boolean {
  const reference = controllerOf(claim);
  if (reference?.kind !== "Pod" || reference.apiVersion !== "v1" || !owner) return false;
  return owner.metadata.uid !== reference.uid || isPodDone(owner);
}
