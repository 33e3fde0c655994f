import type { CronJob, CronJobStatus, Job, ObjectReference } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";
import { finishedConditionOf, isJobFinished } from "../job-state.ts";
import { latestSlot, untilNextSlotMs } from "./slots.ts";
import { readTimetable } from "./timetable.ts";

export interface Warning {
  reason: string;
  message: string;
}

export interface CronEvent extends Warning {
  type: "Normal" | "Warning";
}

export interface CronPlan {
  /** As it is before a new Job is started. */
  status: CronJobStatus;
  events: CronEvent[];
  /** The slot to start a Job for, once those it replaces are gone. */
  start?: { slotMs: number; replace: ObjectReference[] };
  recheckAfterMs?: number;
}

export interface CronState {
  cronJob: CronJob;
  /** Those it controls. */
  jobs: Job[];
  /** UIDs of active ones that are gone for certain. */
  gone: ReadonlySet<string>;
  /** Slots up to this time (epoch ms) are not run: the schedule changed then. */
  notBeforeMs?: number;
}

/** Finished Jobs beyond the history limits, the oldest first. */
export function decideHistory({ spec }: CronJob, jobs: Job[]): Job[] {
  const beyond = (type: "Complete" | "Failed", limit: number | undefined) => {
    if (limit === undefined) return [];
    const finished = jobs.filter((job) => finishedConditionOf(job)?.type === type).sort(byStart);
    return finished.slice(0, Math.max(0, finished.length - limit));
  };
  return [...beyond("Complete", spec.successfulJobsHistoryLimit), ...beyond("Failed", spec.failedJobsHistoryLimit)];
}

/** Jobs that never started come last; equal ones by name. */
function byStart(a: Job, b: Job): number {
  const [aMs, bMs] = [a, b].map(({ status }) => parseTime(status?.startTime)) as [number, number];
  if (aMs === bMs || (Number.isNaN(aMs) && Number.isNaN(bMs))) return a.metadata.name < b.metadata.name ? -1 : 1;
  if (Number.isNaN(aMs)) return 1;
  return Number.isNaN(bMs) ? -1 : aMs - bMs;
}

/** What a CronJob does now. `nowMs` is epoch ms. Same input, same plan. */
export function decide(state: CronState, nowMs: number): CronPlan {
  const { cronJob } = state;
  const seen = lookAtJobs(state);
  if (cronJob.metadata.deletionTimestamp) return seen;
  const { table, warnings } = readTimetable(cronJob);
  const isZoneKnown = table !== undefined || warnings.some(({ reason }) => reason !== "UnknownTimeZone");
  // A wrong zone is told of even while nothing is to start.
  if (cronJob.spec.suspend && isZoneKnown) return seen;
  seen.events.push(...warnings.map(warning));
  if (!table) return seen;
  const latest = latestSlot(cronJob, table, nowMs, true);
  if (latest.error !== undefined) {
    const message = `invalid schedule: ${cronJob.spec.schedule} : ${latest.error}`;
    return { ...seen, events: [...seen.events, warning({ reason: "InvalidSchedule", message })] };
  }
  const plan = { ...seen, ...recheck(untilNextSlotMs(cronJob, table, nowMs)) };
  const { slotMs, hasManyMissed } = latest;
  if (slotMs === undefined || slotMs <= (state.notBeforeMs ?? Number.NEGATIVE_INFINITY)) return plan;
  if (hasManyMissed) plan.events.push(warning(TOO_MANY_MISSED));
  return decideStart(cronJob, plan, slotMs, nowMs);
}

const TOO_MANY_MISSED: Warning = {
  reason: "TooManyMissedTimes",
  message: "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
};

function decideStart({ metadata, spec, status }: CronJob, plan: CronPlan, slotMs: number, nowMs: number): CronPlan {
  const { active = [] } = plan.status;
  const { startingDeadlineSeconds: deadlineSeconds, concurrencyPolicy } = spec;
  if (deadlineSeconds !== undefined && slotMs + deadlineSeconds * 1000 < nowMs) {
    const message = `Missed scheduled time to start a job: ${printRfc1123(slotMs)}`;
    return { ...plan, events: [...plan.events, warning({ reason: "MissSchedule", message })] };
  }
  const isRun =
    active.some(({ name }) => name === jobName(metadata.name, slotMs)) ||
    parseTime(status?.lastScheduleTime) === slotMs;
  if (isRun) return plan;
  if (concurrencyPolicy === "Forbid" && active.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return { ...plan, events: [...plan.events, { type: "Normal", reason: "JobAlreadyActive", message }] };
  }
  return { ...plan, start: { slotMs, replace: concurrencyPolicy === "Replace" ? active : [] } };
}

/** Brings status.active and lastSuccessfulTime up to date. */
function lookAtJobs({ cronJob, jobs, gone }: CronState): CronPlan {
  let active = cronJob.status?.active ?? [];
  let lastSuccessfulTime = cronJob.status?.lastSuccessfulTime;
  const events: CronEvent[] = [];
  for (const job of jobs) {
    const { name, uid } = job.metadata;
    const isActive = active.some((ref) => ref.uid === uid);
    const finished = finishedConditionOf(job);
    if (!isActive && !isJobFinished(job))
      events.push(
        warning({
          reason: "UnexpectedJob",
          message: `Saw a job that the controller did not create or forgot: ${name}`,
        }),
      );
    if (!finished) continue;
    if (isActive) {
      active = active.filter((ref) => ref.uid !== uid);
      const message = `Saw completed job: ${name}, condition: ${finished.type}`;
      events.push({ type: "Normal", reason: "SawCompletedJob", message });
    }
    const { completionTime } = job.status ?? {};
    if (finished.type === "Complete" && completionTime && !(parseTime(completionTime) <= parseTime(lastSuccessfulTime)))
      lastSuccessfulTime = completionTime;
  }
  for (const { name, uid } of active.filter((ref) => gone.has(ref.uid ?? ""))) {
    active = active.filter((ref) => ref.uid !== uid);
    events.push({ type: "Normal", reason: "MissingJob", message: `Active job went missing: ${name}` });
  }
  const { active: _, lastSuccessfulTime: __, ...rest } = cronJob.status ?? {};
  const status: CronJobStatus = {
    ...(active.length > 0 ? { active } : {}),
    ...rest,
    ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
  };
  return { status, events };
}

const warning = ({ reason, message }: Warning): CronEvent => ({ type: "Warning", reason, message });

const recheck = (recheckAfterMs: number | undefined) => (recheckAfterMs === undefined ? {} : { recheckAfterMs });

/** By the slot's minute, so that no slot is run twice, whoever forgets what (CJ-08). */
export const jobName = (cronJobName: string, slotMs: number): string => `${cronJobName}-${Math.floor(slotMs / 60_000)}`;

/** `Mon, 02 Jan 2006 15:04:05 +0000`. */
const printRfc1123 = (ms: number): string => new Date(ms).toUTCString().replace("GMT", "+0000");
