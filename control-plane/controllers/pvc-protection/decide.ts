import type { PersistentVolumeClaim, Pod } from "../../../shared/api/types.ts";
import { controllerOf } from "../../runtime/index.ts";

/** Keys of the claims that a pod's volumes name, or that are made for its ephemeral volumes. */
export function claimKeys({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [`${metadata.namespace}/${persistentVolumeClaim.claimName}`];
    return ephemeral ? [`${metadata.namespace}/${metadata.name}-${name}`] : [];
  });
}

/**
 * Whether a claim must stay for a pod. A pod without a node does not count: no kubelet starts a pod whose claim is being
 * deleted. A claim by name counts for as long as the pod is there; one made for an ephemeral volume is let go as soon as
 * the pod has been shut down, since its pod may in turn wait for the claim to go.
 */
export function podUsesClaim(pod: Pod, { metadata: claim }: PersistentVolumeClaim): boolean {
  const { metadata, spec } = pod;
  if (!spec.nodeName || metadata.namespace !== claim.namespace) return false;
  return (spec.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return persistentVolumeClaim.claimName === claim.name;
    if (!ephemeral || isShutDown(pod) || `${metadata.name}-${name}` !== claim.name) return false;
    return controllerOf({ metadata: claim })?.uid === metadata.uid;
  });
}

const isShutDown = ({ metadata }: Pod) => !!metadata.deletionTimestamp && metadata.deletionGracePeriodSeconds === 0;
