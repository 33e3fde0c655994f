import type { Job, JobCondition } from "../../shared/api/types.ts";

export const findJobCondition = (job: Job, type: string): JobCondition | undefined =>
  job.status?.conditions?.find((condition) => condition.type === type);

/** The Complete or Failed condition of a Job that has ended. */
export const finishedConditionOf = (job: Job): JobCondition | undefined =>
  job.status?.conditions?.find(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");

export const isJobFinished = (job: Job): boolean => finishedConditionOf(job) !== undefined;
