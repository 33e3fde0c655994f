import { duplicate, invalidUnprinted, invalidValue, required } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Job, JobCondition, JobStatus } from "../../../../shared/api/types.ts";
import { checkNotNegative } from "../counts.ts";
import { isEqual } from "../equality.ts";
import { firstOverlap, parseIndexes } from "./indexes.ts";

const conditionIs = (conditions: JobCondition[] | undefined, type: string, status: string) =>
  (conditions ?? []).some((condition) => condition.type === type && condition.status === status);

/** What a job's conditions say of it. */
const phasesOf = ({ status }: Job) => {
  const is = (type: string) => conditionIs(status?.conditions, type, "True");
  const complete = is("Complete");
  const failed = is("Failed");
  return {
    complete,
    failed,
    finished: complete || failed,
    failing: is("FailureTarget"),
    met: is("SuccessCriteriaMet"),
  };
};

function checkUncounted({ uncountedTerminatedPods }: JobStatus): StatusCause[] {
  const seen = new Set<string>();
  return (["succeeded", "failed"] as const).flatMap((list) =>
    (uncountedTerminatedPods?.[list] ?? []).flatMap((uid, i) => {
      const field = `status.uncountedTerminatedPods.${list}[${i}]`;
      if (uid === "") return [invalidValue(field, uid, "must not be empty")];
      if (seen.has(uid)) return [duplicate(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function checkIndexLists({ spec, status = {} }: Job, completedChanged: boolean, failedChanged: boolean): StatusCause[] {
  const causes: StatusCause[] = [];
  const { completions, backoffLimitPerIndex } = spec;
  const { completedIndexes = "", failedIndexes } = status;
  const completed = parseIndexes(completedIndexes, completions ?? 0);
  const failed = parseIndexes(failedIndexes ?? "", completions ?? 0);
  const fail = (name: string, value: unknown, detail: string) =>
    causes.push(invalidValue(`status.${name}`, value, detail));
  if (completedChanged && completions !== undefined && completed.error !== undefined) {
    fail("completedIndexes", completedIndexes, `error parsing completedIndexes: ${completed.error}`);
  }
  if (failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined && failed.error !== undefined) {
    fail("failedIndexes", failedIndexes, `error parsing failedIndexes: ${failed.error}`);
  }
  if (completedChanged && completedIndexes !== "" && spec.completionMode !== "Indexed") {
    fail(
      "completedIndexes",
      completedIndexes,
      "cannot set non-empty completedIndexes when non-indexed completion mode",
    );
  }
  if (failedChanged && backoffLimitPerIndex === undefined && failedIndexes !== undefined) {
    fail("failedIndexes", failedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  const overlap = firstOverlap(completed.intervals, failed.intervals);
  if ((completedChanged || failedChanged) && completions !== undefined && overlap !== undefined) {
    fail("failedIndexes", failedIndexes, `failedIndexes and completedIndexes overlap at index: ${overlap}`);
  }
  return causes;
}

/** A rule about a field is not applied while the field stays as it was, so that other parts of a status may change. */
function checkStatus(job: Job, old: Job): StatusCause[] {
  const status = job.status ?? {};
  const before = old.status ?? {};
  const is = phasesOf(job);
  const was = phasesOf(old);
  const changed = (name: keyof JobStatus) => !isEqual(status[name], before[name]);
  const finishedChanged = is.finished !== was.finished;
  const completionChanged = is.complete !== was.complete || changed("completionTime");
  const { startTime, completionTime } = status;
  const causes = (["active", "succeeded", "failed", "ready", "terminating"] as const).flatMap((name) =>
    checkNotNegative(status[name], `status.${name}`),
  );
  causes.push(...checkUncounted(status));
  const reject = (detail: string) => causes.push(invalidUnprinted("status.conditions", detail));
  if ((is.complete !== was.complete || is.failed !== was.failed) && is.complete && is.failed) {
    reject("cannot set Complete=True and Failed=true conditions");
  }
  if ((is.complete !== was.complete || is.failing !== was.failing) && is.complete && is.failing) {
    reject("cannot set Complete=True and FailureTarget=true conditions");
  }
  if (completionChanged && completionTime !== undefined && !is.complete) {
    const detail = "cannot set completionTime when there is no Complete=True condition";
    causes.push(invalidValue("status.completionTime", completionTime, detail));
  }
  if (completionChanged && completionTime === undefined && is.complete) {
    causes.push(required("status.completionTime", "completionTime is required for Complete jobs"));
  }
  if (
    (changed("startTime") || changed("completionTime")) &&
    startTime &&
    completionTime &&
    completionTime < startTime
  ) {
    causes.push(invalidValue("status.completionTime", completionTime, "must be equal to or after `startTime`"));
  }
  if ((is.failed !== was.failed || changed("failedIndexes")) && is.failed && !is.failing) {
    reject("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if ((is.complete !== was.complete || is.met !== was.met) && is.complete && !is.met) {
    reject("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
  if ((finishedChanged || changed("active")) && is.finished && (status.active ?? 0) > 0) {
    causes.push(invalidValue("status.active", status.active, "active>0 is invalid for finished job"));
  }
  const neverStarts = job.spec.suspend === true && job.spec.completions === 0;
  if ((finishedChanged || changed("startTime")) && !neverStarts && is.finished && startTime === undefined) {
    causes.push(required("status.startTime", "startTime is required for finished job"));
  }
  const uncounted = status.uncountedTerminatedPods;
  const isCounted = (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length === 0;
  if ((finishedChanged || changed("uncountedTerminatedPods")) && is.finished && !isCounted) {
    causes.push(invalidValue("status.uncountedTerminatedPods", uncounted, "must be empty for finished job"));
  }
  causes.push(...checkIndexLists(job, changed("completedIndexes"), changed("failedIndexes")));
  if ((finishedChanged || changed("terminating")) && is.finished && (status.terminating ?? 0) > 0) {
    causes.push(invalidValue("status.terminating", status.terminating, "terminating>0 is invalid for finished job"));
  }
  if ((changed("ready") || changed("active")) && (status.ready ?? -Infinity) > (status.active ?? 0)) {
    causes.push(invalidValue("status.ready", status.ready, "cannot set more ready pods than active"));
  }
  if (is.met && is.failed) reject("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (is.met && is.failing) reject("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  if (job.spec.successPolicy && !is.met && is.complete) {
    reject("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
  return causes;
}

/** Upstream's rules for controllers of others (JobManagedBy): ends are final, counts do not go back. */
export function checkJobStatusUpdate(job: Job, old: Job): StatusCause[] {
  const causes = checkStatus(job, old);
  const status = job.status ?? {};
  const before = old.status ?? {};
  const reject = (detail: string) => causes.push(invalidUnprinted("status.conditions", detail));
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (conditionIs(before.conditions, type, "True") && !conditionIs(status.conditions, type, "True")) {
      reject(`cannot disable the terminal ${type}=True condition`);
    }
  }
  if ((status.failed ?? 0) < (before.failed ?? 0)) {
    causes.push(invalidValue("status.failed", status.failed ?? 0, "cannot decrease the failed counter"));
  }
  const { completionMode, completions, parallelism, suspend } = job.spec;
  const isElastic = completionMode === "Indexed" && completions === parallelism;
  if (!isElastic && (status.succeeded ?? 0) < (before.succeeded ?? 0)) {
    causes.push(invalidValue("status.succeeded", status.succeeded ?? 0, "cannot decrease the succeeded counter"));
  }
  if (status.completionTime && before.completionTime && status.completionTime !== before.completionTime) {
    causes.push(invalidValue("status.completionTime", status.completionTime, "field is immutable"));
  }
  const isResuming =
    conditionIs(before.conditions, "Suspended", "True") && conditionIs(status.conditions, "Suspended", "False");
  if (before.startTime && status.startTime !== before.startTime && !suspend && !isResuming) {
    const detail = "field is immutable for unsuspended job once set";
    causes.push(invalidValue("status.startTime", status.startTime, detail));
  }
  const [is, was] = [phasesOf(job), phasesOf(old)];
  if (was.met && !is.met) reject("cannot disable the SuccessCriteriaMet=True condition");
  if (was.complete && !was.met && is.met) {
    reject("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
  return causes;
}

export const isSuspendedByStatus = ({ status }: Job): boolean => conditionIs(status?.conditions, "Suspended", "True");
