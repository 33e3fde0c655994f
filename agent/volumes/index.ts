/**
 * A pod's volumes on the node: emptyDir, hostPath, those whose files come from the API (configMap, secret, projected,
 * downwardAPI), and what claims are bound to, with the managed /etc/hosts beside them. It knows nothing of containers'
 * lives: the kubelet says when a pod's volumes are set up, brought up to date and taken down.
 */

export { ClaimError } from "./claim-error.ts";
export { containerMounts } from "./container-mounts.ts";
export { type PodAddresses, podFieldValue } from "./field-value.ts";
export { mountsUnder, unmount } from "./mount-table.ts";
export { createPodVolumes, type FoundVolumes, type PodVolumes } from "./pod-volumes.ts";
export { type Allocatable, resourceFieldValue } from "./resource-value.ts";
export type { ReadyVolume } from "./set-up-volume.ts";
export type { VolumeSources } from "./sources.ts";
export { volumeReferences } from "./volume-content.ts";
export { describeWait, VolumeError } from "./volume-error.ts";
