import type { OwnerReference } from "../../../shared/api/object.ts";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/api/types.ts";
import { blocksNewPod, type ClaimOwners, decideOwners, hasOtherController } from "./claim-owners.ts";
import { claimName, ordinalOf } from "./ordinal.ts";

/** What is to be done about the claims of one pod. */
export interface ClaimPlan {
  create: PersistentVolumeClaim[];
  /** Names of claims that are on their way out: the pod cannot have them yet. */
  leaving: string[];
  reown: { claim: PersistentVolumeClaim; ownerReferences: OwnerReference[] }[];
  /** Names of claims that somebody else manages. */
  conflicting: string[];
}

/** Claims by name, as the cache has them. */
export type FindClaim = (name: string) => PersistentVolumeClaim | undefined;

const wantedClaims = (set: StatefulSet, pod: Pod): PersistentVolumeClaim[] =>
  (set.spec.volumeClaimTemplates ?? []).map((template) => newClaim(set, template, ordinalOf(pod)));

/** A claim by its template, labelled as the set selects. */
function newClaim(set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): PersistentVolumeClaim {
  const claim = structuredClone(template);
  claim.metadata = {
    ...claim.metadata,
    name: claimName(set, template.metadata?.name ?? "", ordinal),
    namespace: set.metadata.namespace,
    labels: { ...claim.metadata?.labels, ...set.spec.selector.matchLabels },
  };
  return claim;
}

export function decideClaims(owners: ClaimOwners, find: FindClaim): ClaimPlan {
  const plan: ClaimPlan = { create: [], leaving: [], reown: [], conflicting: [] };
  for (const wanted of wantedClaims(owners.set, owners.pod)) {
    const claim = find(wanted.metadata.name);
    if (!claim) {
      plan.create.push(wanted);
      continue;
    }
    if (claim.metadata.deletionTimestamp) plan.leaving.push(claim.metadata.name);
    const ownerReferences = decideOwners(claim, owners);
    if (ownerReferences) plan.reown.push({ claim, ownerReferences });
    if (hasOtherController(claim, owners)) plan.conflicting.push(claim.metadata.name);
  }
  return plan;
}

export const isBlockedByClaims = (owners: ClaimOwners, find: FindClaim): boolean =>
  wantedClaims(owners.set, owners.pod).some(({ metadata: { name } }) => {
    const claim = find(name);
    return claim !== undefined && blocksNewPod(claim, owners);
  });
