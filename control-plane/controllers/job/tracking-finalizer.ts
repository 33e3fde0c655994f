import type { Pod } from "../../../shared/api/types.ts";

/** Holds a pod until its end is counted in the Job's status. */
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";

export const isTracked = (pod: Pod): boolean => pod.metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
