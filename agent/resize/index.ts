/**
 * Changing the resources of running pods (the `resize` subresource): what is granted, what runs, and how to get from one to
 * the other. When that is done is the pod worker's matter; the values of cgroups are agent/cgroup's.
 */
export type { ResizePolicies } from "./feasible.ts";
export { createResizes, type Resizes } from "./resizes.ts";
