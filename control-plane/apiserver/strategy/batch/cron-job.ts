import { invalidValue, notSupported, required } from "../../../../shared/api/field-error.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { CronJob, CronJobSpec } from "../../../../shared/api/types.ts";
import { scheduleError, zoneError } from "../../../../shared/cron/index.ts";
import { hostnameWarnings } from "../apps/template.ts";
import { checkNotNegative } from "../counts.ts";
import { isEqual } from "../equality.ts";
import { dropDisabledTemplateFields } from "../pod-spec/index.ts";
import type { Strategy } from "../strategy.ts";
import { applyJobTemplateDefaults, checkJobSpec, jobWarnings } from "./job-spec.ts";

/** The controller adds `-` and ten digits for a job's name, and a job's name is a label of its pods. */
const MAX_NAME = 52;
const POLICIES = ["Allow", "Forbid", "Replace"];

function checkSchedule({ schedule, timeZone }: CronJobSpec, old?: CronJobSpec): StatusCause[] {
  const field = "spec.schedule";
  if (!schedule) return [required(field)];
  const error = scheduleError(schedule);
  const causes = error === undefined ? [] : [invalidValue(field, schedule, error)];
  if (!schedule.includes("TZ")) return causes;
  const isTolerated = old?.schedule.includes("TZ") ?? false;
  if (!isTolerated) {
    causes.push(invalidValue(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
  } else if (timeZone !== undefined) {
    causes.push(invalidValue(field, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"));
  }
  return causes;
}

function checkTimeZone(zone: string | undefined): StatusCause[] {
  const field = "spec.timeZone";
  if (zone === undefined) return [];
  if (zone === "") return [invalidValue(field, zone, "timeZone must be nil or non-empty string")];
  const parts = zone.split("/");
  if (parts.some((part) => part === "." || part === ".." || !/^(?!-)[A-Za-z.\-_0-9+]{1,14}$/.test(part))) {
    return [invalidValue(field, zone, `unknown time zone ${zone}`)];
  }
  const causes: StatusCause[] = [];
  if (zone.toLowerCase() === "local") {
    const detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    causes.push(invalidValue(field, zone, detail));
  }
  const error = zoneError(zone);
  if (error !== undefined) causes.push(invalidValue(field, zone, error));
  return causes;
}

function checkConcurrencyPolicy(policy = ""): StatusCause[] {
  const field = "spec.concurrencyPolicy";
  if (policy === "") return [required(field)];
  return POLICIES.includes(policy) ? [] : [notSupported(field, policy, POLICIES)];
}

function checkSpec(spec: CronJobSpec, old?: CronJobSpec): StatusCause[] {
  const job = spec.jobTemplate?.spec;
  const path = "spec.jobTemplate.spec";
  const causes = [
    ...checkSchedule(spec, old),
    ...checkNotNegative(spec.startingDeadlineSeconds, "spec.startingDeadlineSeconds"),
    ...(old && old.timeZone === spec.timeZone ? [] : checkTimeZone(spec.timeZone)),
    ...checkConcurrencyPolicy(spec.concurrencyPolicy),
  ];
  if (job) {
    causes.push(...checkJobSpec(job, path));
    if (job.selector) causes.push(invalidValue(`${path}.selector`, job.selector, "`selector` will be auto-generated"));
    if (job.manualSelector) causes.push(notSupported(`${path}.manualSelector`, true, ["nil", "false"]));
  }
  return [
    ...causes,
    ...checkNotNegative(spec.successfulJobsHistoryLimit, "spec.successfulJobsHistoryLimit"),
    ...checkNotNegative(spec.failedJobsHistoryLimit, "spec.failedJobsHistoryLimit"),
  ];
}

export const CRON_JOB_STRATEGY: Strategy<CronJob> = {
  checksStatusMetaOnce: true,
  applyDefaults: ({ spec }) => {
    if (!spec) return;
    spec.concurrencyPolicy ||= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    if (spec.jobTemplate?.spec) applyJobTemplateDefaults(spec.jobTemplate.spec);
  },
  prepareForCreate: (cronJob) => {
    dropDisabledTemplateFields(cronJob.spec.jobTemplate?.spec?.template);
    cronJob.status = {};
  },
  prepareForUpdate: ({ spec }) => dropDisabledTemplateFields(spec.jobTemplate?.spec?.template),
  validate: ({ metadata, spec }) => [
    ...checkSpec(spec),
    ...(metadata.name.length > MAX_NAME
      ? [invalidValue("metadata.name", metadata.name, `must be no more than ${MAX_NAME} characters`)]
      : []),
  ],
  validateUpdate: ({ spec }, old) => checkSpec(spec, old.spec),
  warnings: ({ metadata, spec }, old) => {
    const warnings = old ? [] : hostnameWarnings(metadata.name);
    if (spec.jobTemplate?.spec && !isEqual(spec, old?.spec)) {
      warnings.push(...jobWarnings(spec.jobTemplate.spec, "spec.jobTemplate.spec"));
    }
    if (old && spec.schedule.includes("TZ")) {
      warnings.push(
        "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
      );
    }
    return warnings;
  },
};
