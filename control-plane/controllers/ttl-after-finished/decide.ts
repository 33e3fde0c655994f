import type { Job } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";
import { finishedConditionOf } from "../job-state.ts";

/**
 * Ms until a finished Job is to go (JOB-12); 0 or less: now.
 * @returns undefined for a Job that stays: it has not ended, has no ttlSecondsAfterFinished, or is going already
 */
export function remainingTtlMs(job: Job, nowMs: number): number | undefined {
  const { ttlSecondsAfterFinished } = job.spec;
  const finishedMs = parseTime(finishedConditionOf(job)?.lastTransitionTime);
  if (ttlSecondsAfterFinished === undefined || job.metadata.deletionTimestamp || Number.isNaN(finishedMs))
    return undefined;
  return finishedMs + ttlSecondsAfterFinished * 1000 - nowMs;
}
