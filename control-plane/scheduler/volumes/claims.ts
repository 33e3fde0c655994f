import type { PersistentVolumeClaim, Pod } from "../../../shared/api/types.ts";
import { BIND_COMPLETED, classOfClaim } from "../../../shared/api/volume-binding.ts";
import type { Storage } from "./storage.ts";

interface PodClaimName {
  name: string;
  isEphemeral: boolean;
}

/** The claims a pod uses; those of generic ephemeral volumes are made for it (KEP-1698). */
export const claimNamesOf = ({ metadata, spec }: Pod): PodClaimName[] =>
  (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): PodClaimName[] => {
    if (persistentVolumeClaim) return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }];
    return ephemeral ? [{ name: `${metadata.name}-${name}`, isEphemeral: true }] : [];
  });

export interface PodClaims {
  bound: PersistentVolumeClaim[];
  /** Their volumes are chosen together with the node. */
  delayed: PersistentVolumeClaim[];
}

/** Whether claim and volume have found each other, from the claim's side. */
export const isBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  !!spec?.volumeName && metadata.annotations?.[BIND_COMPLETED] !== undefined;

/**
 * A pod's claims by how they stand, or why it can run nowhere yet.
 * @returns undefined for a pod without claims
 */
export function sortClaims(pod: Pod, storage: Storage): PodClaims | { never: string } | undefined {
  const names = claimNamesOf(pod);
  if (names.length === 0) return undefined;
  const claims: PersistentVolumeClaim[] = [];
  for (const { name, isEphemeral } of names) {
    const claim = storage.claim(pod.metadata.namespace!, name);
    const never = claim ? whyUnusable(claim, pod, isEphemeral) : whyMissing(name, isEphemeral);
    if (never) return { never };
    claims.push(claim!);
  }
  const bound = claims.filter(isBound);
  const delayed = claims.filter((claim) => !isBound(claim) && isDelayed(claim, storage));
  if (bound.length + delayed.length < claims.length) {
    return { never: "pod has unbound immediate PersistentVolumeClaims" };
  }
  return { bound, delayed };
}

const whyMissing = (name: string, isEphemeral: boolean): string =>
  isEphemeral
    ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${JSON.stringify(name)}`
    : `persistentvolumeclaim ${JSON.stringify(name)} not found`;

function whyUnusable(claim: PersistentVolumeClaim, pod: Pod, isEphemeral: boolean): string | undefined {
  const { name, namespace, deletionTimestamp, ownerReferences } = claim.metadata;
  const quoted = JSON.stringify(name);
  if (claim.status?.phase === "Lost") {
    return `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${JSON.stringify(claim.spec?.volumeName ?? "")}`;
  }
  if (deletionTimestamp) return `persistentvolumeclaim ${quoted} is being deleted`;
  const isItsOwn = ownerReferences?.some(({ uid, controller }) => controller && uid === pod.metadata.uid);
  if (!isEphemeral || isItsOwn) return undefined;
  return `PVC ${namespace}/${name} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`;
}

/** A claim that names its volume is not: its controller binds it without waiting. */
function isDelayed(claim: PersistentVolumeClaim, storage: Storage): boolean {
  const className = classOfClaim(claim);
  const mode = className === "" ? undefined : storage.storageClass(className)?.volumeBindingMode;
  return mode === "WaitForFirstConsumer" && !claim.spec?.volumeName;
}
