/**
 * Pods from files of the node, which run without the control plane, and their mirrors in the API. It reads manifests and
 * keeps the mirrors right; running the pods is the pod workers' work, as with any other.
 */
export { fullName, isMirror } from "./annotations.ts";
export { followManifests } from "./directory.ts";
export { createMirrorPods, type MirrorPods } from "./mirror-pods.ts";
