/**
 * Removes images that no container uses, when the disk under them is getting full or they have not been used for long, the
 * longest unused first (KubeletConfiguration: imageGCHighThresholdPercent and its like). What a pod may have is agent/kubelet/images.
 */

export { type ImageGcPolicy, isGcDisabled } from "./decide.ts";
export { createImageGc, type ImageGc, type ImageGcDeps } from "./image-gc.ts";
