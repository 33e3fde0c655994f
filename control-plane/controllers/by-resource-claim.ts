import type { Pod } from "../../shared/api/types.ts";

/** Name of the index of pods by the keys of the ResourceClaims that they are known to use. */
export const BY_RESOURCE_CLAIM = "resource-claim";

/** All claims that a pod is known to use: by name, or made for it. */
const resourceClaimNames = ({ spec, status }: Pod): string[] => [
  ...(spec.resourceClaims ?? []).flatMap(({ resourceClaimName }) => resourceClaimName ?? []),
  ...(status?.resourceClaimStatuses ?? []).flatMap(({ resourceClaimName }) => resourceClaimName ?? []),
];

export const byResourceClaim = (pod: Pod): string[] =>
  resourceClaimNames(pod).map((name) => `${pod.metadata.namespace}/${name}`);
