/** Keeps a ResourceClaim until its devices are given back (upstream resourceapi.Finalizer). */
export const RESOURCE_CLAIM_FINALIZER = "resource.kubernetes.io/delete-protection";
