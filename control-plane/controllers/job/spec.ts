import type { Job, Pod } from "../../../shared/api/types.ts";

/** The value of spec.managedBy that means this controller. */
const OUR_NAME = "kubernetes.io/job-controller";

export const isManagedElsewhere = ({ spec }: Job): boolean =>
  spec.managedBy !== undefined && spec.managedBy !== OUR_NAME;

export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true;

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed";

/** Pods that are still terminating are not replaced yet (JOB-06). */
export const replacesOnlyFailed = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;

/**
 * The pod ended badly. Where terminating pods are replaced, so did one that is being deleted: its node may be gone, and
 * nobody left to say how it ended.
 */
export function isPodFailed(pod: Pod, job: Job): boolean {
  const phase = pod.status?.phase;
  if (phase === "Failed") return true;
  return !replacesOnlyFailed(job) && !!pod.metadata.deletionTimestamp && phase !== "Succeeded";
}
