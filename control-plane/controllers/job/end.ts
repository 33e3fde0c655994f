import type { Pod } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";
import { findJobCondition } from "../job-state.ts";
import type { ConditionText } from "./conditions.ts";
import { judgeFailure } from "./failure-policy.ts";
import { sizeOf } from "./index-set.ts";
import type { Observed } from "./observe.ts";
import { isPodFailed, isSuspended } from "./spec.ts";
import { metSuccessRule } from "./success-policy.ts";

/**
 * A Job ends in two steps: a condition that says that it will (SuccessCriteriaMet, FailureTarget), and when all pods are
 * gone and counted the one that says that it has (Complete, Failed).
 */
export type End = ConditionText & { type: "SuccessCriteriaMet" | "FailureTarget" };

export const COMPLETIONS_REACHED: End = {
  type: "SuccessCriteriaMet",
  status: "True",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
};

const failure = (reason: string, message: string): End => ({ type: "FailureTarget", status: "True", reason, message });

/** Why the Job is to end although it has pods to run; what was decided once stays. */
export function decideEnd(observed: Observed, nowMs: number): End | undefined {
  const { job, pods, failedCount, indexes } = observed;
  const { backoffLimit = 0, podFailurePolicy, successPolicy } = job.spec;
  for (const type of ["SuccessCriteriaMet", "FailureTarget"] as const) {
    const decided = findJobCondition(job, type);
    if (decided?.status === "True")
      return { type, status: "True", reason: decided.reason ?? "", message: decided.message ?? "" };
  }
  for (const pod of podFailurePolicy ? pods : []) {
    const { failJobMessage } = isPodFailed(pod, job) ? judgeFailure(podFailurePolicy, pod) : {};
    if (failJobMessage !== undefined) return failure("PodFailurePolicy", failJobMessage);
  }
  if (failedCount > backoffLimit || hasTooManyRestarts(observed))
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  if ((remainingActiveMs(observed, nowMs) ?? 1) <= 0)
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  const failedIndexes = failedIndexesEnd(observed);
  if (failedIndexes) return failedIndexes;
  const rule = indexes && metSuccessRule(successPolicy, indexes.succeeded, indexes.completions);
  return rule === undefined
    ? undefined
    : { type: "SuccessCriteriaMet", status: "True", reason: "SuccessPolicy", message: rule };
}

function failedIndexesEnd({ job, indexes }: Observed): End | undefined {
  if (!indexes?.failed) return undefined;
  const { maxFailedIndexes } = job.spec;
  const failed = sizeOf(indexes.failed);
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes)
    return failure("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  if (failed > 0 && failed + sizeOf(indexes.succeeded) >= indexes.completions)
    return failure("FailedIndexes", "Job has failed indexes");
  return undefined;
}

/** With restartPolicy OnFailure, restarts of containers count towards backoffLimit (JOB-01). */
function hasTooManyRestarts({ job, pods }: Observed): boolean {
  const { backoffLimit = 0, template } = job.spec;
  if (template.spec?.restartPolicy !== "OnFailure") return false;
  const restarts = pods.reduce((sum, pod) => sum + restartsOf(pod), 0);
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

function restartsOf({ status }: Pod): number {
  if (status?.phase !== "Running" && status?.phase !== "Pending") return 0;
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return containers.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
}

/** Ms until activeDeadlineSeconds is over; undefined when there is none, or it does not run. */
export function remainingActiveMs({ job }: Observed, nowMs: number): number | undefined {
  const { activeDeadlineSeconds } = job.spec;
  if (activeDeadlineSeconds === undefined || isSuspended(job)) return undefined;
  const startMs = parseTime(job.status?.startTime);
  // It starts just now.
  if (Number.isNaN(startMs)) return activeDeadlineSeconds * 1000;
  return startMs + activeDeadlineSeconds * 1000 - nowMs;
}
