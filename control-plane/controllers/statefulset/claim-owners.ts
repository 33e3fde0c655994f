import { printGroupVersion } from "../../../shared/api/group-resource.ts";
import type { KubeObject, OwnerReference } from "../../../shared/api/object.ts";
import { PODS, STATEFUL_SETS } from "../../../shared/api/refs.ts";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/api/types.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import { newControllerRef } from "../../runtime/index.ts";
import { isInRange, ordinalOf } from "./ordinal.ts";

export interface ClaimOwners {
  /** The set's pod that mounts the claim; without a uid when it is about to be made. */
  pod: Pod;
  set: StatefulSet;
}

/** What the retention policy wants: the set owns claims that end with it, the pod those that end with a scaling down. */
function wantedOwners({ set, pod }: ClaimOwners): { bySet: boolean; byPod: boolean } {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const isScaledAway = !isInRange(set, ordinalOf(pod));
  const byPod = whenScaled === "Delete" && isScaledAway;
  // While its pod is on the way out, the claim must go with the pod, not stay for the set.
  return { bySet: whenDeleted === "Delete" && !byPod, byPod };
}

const isFor = (owner: OwnerReference, object: KubeObject, ref: ResourceRef): boolean =>
  owner.apiVersion === printGroupVersion(ref) && owner.kind === ref.kind && owner.name === object.metadata.name;

/** It says it is owned by an object of that name that is no more: left to the garbage collector. */
function isStale(claim: PersistentVolumeClaim, object: KubeObject, ref: ResourceRef): boolean {
  const owner = claim.metadata.ownerReferences?.find((candidate) => isFor(candidate, object, ref));
  return owner !== undefined && owner.uid !== object.metadata.uid;
}

/** The claim was one of an earlier pod of that name and will go with it: the next pod has to wait for that. */
export function blocksNewPod(claim: PersistentVolumeClaim, { set, pod }: ClaimOwners): boolean {
  return set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete" && isStale(claim, pod, PODS);
}

/** Somebody else manages the claim, so that the retention policy cannot be carried out on it. */
export function hasOtherController(claim: PersistentVolumeClaim, { set, pod }: ClaimOwners): boolean {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenDeleted !== "Delete" && whenScaled !== "Delete") return false;
  return (claim.metadata.ownerReferences ?? []).some((owner) => {
    if (isFor(owner, set, STATEFUL_SETS)) return owner.uid !== set.metadata.uid;
    if (isFor(owner, pod, PODS)) return owner.uid !== pod.metadata.uid;
    return owner.controller === true;
  });
}

/** Whether the claim's owners are as the policy wants them, or are none of our business. */
function areOwnersRight(claim: PersistentVolumeClaim, owners: ClaimOwners): boolean {
  const { set, pod } = owners;
  if (isStale(claim, set, STATEFUL_SETS) || isStale(claim, pod, PODS)) return true;
  const references = claim.metadata.ownerReferences ?? [];
  const referenceTo = (object: KubeObject) => references.find(({ uid }) => uid === (object.metadata.uid ?? ""));
  const [bySet, byPod] = [referenceTo(set), referenceTo(pod)];
  if (hasOtherController(claim, owners)) return !bySet && !byPod;
  if ([bySet, byPod].some((owner) => owner !== undefined && owner.controller !== true)) return false;
  const wanted = wantedOwners(owners);
  return !!bySet === wanted.bySet && !!byPod === wanted.byPod;
}

/**
 * The owners that a claim must get for the retention policy (KEP-1847); undefined when it has them, or when it is left
 * to those who own it.
 */
export function decideOwners(claim: PersistentVolumeClaim, owners: ClaimOwners): OwnerReference[] | undefined {
  if (areOwnersRight(claim, owners)) return undefined;
  const { set, pod } = owners;
  const others = (claim.metadata.ownerReferences ?? []).filter(
    (owner) => !isFor(owner, set, STATEFUL_SETS) && !isFor(owner, pod, PODS),
  );
  if (hasOtherController(claim, owners)) return others;
  const { bySet, byPod } = wantedOwners(owners);
  if (byPod) others.push(newControllerRef(pod, PODS));
  if (bySet) others.push(newControllerRef(set, STATEFUL_SETS));
  return others;
}
