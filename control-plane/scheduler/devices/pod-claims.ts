import type { Pod, ResourceClaim } from "../../../shared/api/types.ts";
import type { Devices } from "./devices.ts";

/**
 * The claims of a pod in the order of its spec, or why they cannot be looked at yet.
 * @returns an empty list for a pod without claims
 */
export function claimsOf(pod: Pod, devices: Pick<Devices, "claim">): ResourceClaim[] | { never: string } {
  const { name: podName, namespace, uid } = pod.metadata;
  const claims: ResourceClaim[] = [];
  for (const { name, resourceClaimName, resourceClaimTemplateName } of pod.spec?.resourceClaims ?? []) {
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      const which = `pod "${namespace}/${podName}", spec.resourceClaim ${JSON.stringify(name)}`;
      return { never: `${which}: none of the supported fields are set` };
    }
    const made = pod.status?.resourceClaimStatuses?.find((status) => status.name === name);
    if (resourceClaimName === undefined && !made) {
      return { never: `pod "${namespace}/${podName}": ResourceClaim not created yet` };
    }
    const claimName = resourceClaimName ?? made?.resourceClaimName;
    // It was found that none is needed.
    if (claimName === undefined) continue;
    const claim = devices.claim(namespace!, claimName);
    if (!claim) return { never: `resourceclaim.resource.k8s.io ${JSON.stringify(claimName)} not found` };
    if (claim.metadata.deletionTimestamp) {
      return { never: `resourceclaim ${JSON.stringify(claimName)} is being deleted` };
    }
    const isItsOwn = claim.metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid);
    if (resourceClaimName === undefined && !isItsOwn) {
      const owned = `ResourceClaim ${namespace}/${claimName} was not created for Pod ${namespace}/${podName}`;
      return { never: `${owned} (Pod is not owner)` };
    }
    claims.push(claim);
  }
  return claims;
}

/** Why no node can have a pod's claims now, beyond what `claimsOf` says. */
export function whyUnallocatable(claim: ResourceClaim, devices: Devices): string | undefined {
  if (claim.status?.allocation) return undefined;
  const { namespace, name, uid } = claim.metadata;
  if (devices.isBeingAllocated(uid!)) return `resource claim ${namespace}/${name} is in the process of being allocated`;
  for (const request of claim.spec.devices?.requests ?? []) {
    const wanted = request.exactly
      ? [{ name: request.name, deviceClassName: request.exactly.deviceClassName }]
      : (request.firstAvailable ?? []).map((sub) => ({ ...sub, name: `${request.name}/${sub.name}` }));
    if (wanted.length === 0) {
      return `resource claim ${namespace}/${name}, request ${request.name}: unknown request type`;
    }
    const missing = wanted.find(({ deviceClassName }) => !devices.deviceClass(deviceClassName));
    if (missing) return `request ${missing.name}: device class ${missing.deviceClassName} does not exist`;
  }
  return undefined;
}
