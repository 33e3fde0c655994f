import { CRON_JOBS, JOBS } from "../../../shared/api/refs.ts";
import { isAlreadyExists, isNotFound } from "../../../shared/api/status.ts";
import type { CronJob, CronJobStatus, Job, ObjectReference } from "../../../shared/api/types.ts";
import { messageOf } from "../../../shared/message-of.ts";
import {
  type ControllerDeps,
  controllerOf,
  done,
  type Informer,
  keyOf,
  type OwnWrites,
  type Requeue,
  referenceTo,
  requeueAfter,
} from "../../runtime/index.ts";
import { BY_CONTROLLER } from "../by-controller.ts";
import { isNamespaceTerminating } from "../pod-control.ts";
import { type CronPlan, decide, decideHistory } from "./decide.ts";
import { jobOf } from "./job-of.ts";
import type { ScheduleNotes } from "./schedule-notes.ts";

export interface CronJobDeps extends ControllerDeps {
  cronJobs: Informer<CronJob>;
  jobs: Informer<Job>;
  ownWrites: OwnWrites;
  schedules: ScheduleNotes;
}

/** Own writes come back within ms; this is for the case that the change does not wake the key. */
const UNSEEN_MS = 1000;
/** A slot may be centuries away (@every takes 292 years), further than a date can be: a look a month costs nothing. */
const MAX_SLEEP_MS = 30 * 24 * 60 * 60_000;

export async function reconcile(key: string, deps: CronJobDeps): Promise<Requeue> {
  const { clock, log, events, ownWrites } = deps;
  const cronJob = deps.cronJobs.get(key);
  if (!cronJob) {
    ownWrites.forget(key);
    deps.schedules.forget(key);
    return done;
  }
  if (!ownWrites.areSeen(key)) return requeueAfter(UNSEEN_MS);
  const nowMs = clock.nowMs();
  const jobs = deps.jobs.byIndex(BY_CONTROLLER, cronJob.metadata.uid ?? "");
  const notBeforeMs = deps.schedules.notBeforeMs(cronJob);
  const cleaned = await cleanUp(cronJob, jobs, deps);
  const gone = await findGone(cleaned, jobs, deps);
  const plan = decide({ cronJob: cleaned, jobs, gone, ...(notBeforeMs === undefined ? {} : { notBeforeMs }) }, nowMs);
  if (plan.start || plan.events.length > 0) log.info("cronjob plan", { key, ...plan });
  for (const { type, reason, message } of plan.events) events.event(cronJob, type, reason, message);
  const { status, failure } = await start(cleaned, plan, deps);
  await writeStatus(cronJob, status, deps);
  if (failure !== undefined) throw failure;
  const { recheckAfterMs } = plan;
  return requeueAfter(recheckAfterMs === undefined ? undefined : Math.min(recheckAfterMs, MAX_SLEEP_MS));
}

/** Deletes what is beyond the history limits. @returns the CronJob without them among its active Jobs */
async function cleanUp(cronJob: CronJob, jobs: Job[], deps: CronJobDeps): Promise<CronJob> {
  let cleaned = cronJob;
  for (const job of decideHistory(cronJob, jobs)) {
    if (job.metadata.deletionTimestamp) continue;
    const isDeleted = await removeJob(cronJob, job, deps).then(
      () => true,
      () => false,
    );
    if (isDeleted) cleaned = withoutActive(cleaned, job.metadata.uid);
  }
  return cleaned;
}

const withoutActive = (cronJob: CronJob, uid: string | undefined): CronJob => ({
  ...cronJob,
  status: { ...cronJob.status, active: (cronJob.status?.active ?? []).filter((ref) => ref.uid !== uid) },
});

/** @throws after an event, what the API refused it with */
async function removeJob(cronJob: CronJob, { metadata }: Job, { api, events }: CronJobDeps): Promise<void> {
  try {
    await api.delete(JOBS, metadata, { propagationPolicy: "Background" });
  } catch (error) {
    events.event(cronJob, "Warning", "FailedDelete", `Deleted job: ${messageOf(error)}`);
    throw error;
  }
  events.event(cronJob, "Normal", "SuccessfulDelete", `Deleted job ${metadata.name}`);
}

/** Active Jobs that the cache does not show may only not be there yet: the API knows. */
async function findGone({ status }: CronJob, jobs: Job[], { api }: CronJobDeps): Promise<Set<string>> {
  const gone = new Set<string>();
  for (const { name = "", namespace, uid = "" } of status?.active ?? []) {
    if (jobs.some(({ metadata }) => metadata.uid === uid)) continue;
    await api.get(JOBS, name, namespace).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      gone.add(uid);
    });
  }
  return gone;
}

/** @returns the status after it, also when it failed: what was done is in it */
async function start(
  cronJob: CronJob,
  plan: CronPlan,
  deps: CronJobDeps,
): Promise<{ status: CronJobStatus; failure?: unknown }> {
  if (!plan.start) return { status: plan.status };
  const { slotMs, replace } = plan.start;
  let status = plan.status;
  try {
    for (const ref of replace) {
      await replaceJob(cronJob, ref, deps);
      status = { ...status, active: (status.active ?? []).filter(({ uid }) => uid !== ref.uid) };
    }
    const job = await createJob(cronJob, jobOf(cronJob, slotMs), deps);
    if (!job || status.active?.some(({ uid }) => uid === job.metadata.uid)) return { status };
    const active = [...(status.active ?? []), referenceTo(job)];
    return { status: { ...status, active, lastScheduleTime: new Date(slotMs).toISOString().replace(".000Z", "Z") } };
  } catch (failure) {
    return { status, failure };
  }
}

async function replaceJob(
  cronJob: CronJob,
  { name = "", namespace }: ObjectReference,
  deps: CronJobDeps,
): Promise<void> {
  const job = await deps.api.get<Job>(JOBS, name, namespace).catch((error: unknown) => {
    deps.events.event(cronJob, "Warning", "FailedGet", `Get job: ${messageOf(error)}`);
    throw error;
  });
  await removeJob(cronJob, job, deps).catch((cause: unknown) => {
    throw new Error(`could not replace job ${namespace}/${name}`, { cause });
  });
}

/**
 * @returns the Job, also one that was made before a crash; undefined when somebody else has its name
 * @throws after an event, what the API refused it with
 */
async function createJob(
  cronJob: CronJob,
  job: Job,
  { api, events, jobs, ownWrites }: CronJobDeps,
): Promise<Job | undefined> {
  try {
    const created = await api.create<Job>(JOBS, job);
    ownWrites.wrote(keyOf(cronJob), jobs, created);
    events.event(cronJob, "Normal", "SuccessfulCreate", `Created job ${created.metadata.name}`);
    return created;
  } catch (error) {
    if (isAlreadyExists(error)) {
      const existing = await api.get<Job>(JOBS, job.metadata.name, job.metadata.namespace);
      return controllerOf(existing)?.uid === cronJob.metadata.uid ? existing : undefined;
    }
    if (!isNamespaceTerminating(error))
      events.event(cronJob, "Warning", "FailedCreate", `Error creating job: ${messageOf(error)}`);
    throw error;
  }
}

async function writeStatus(cronJob: CronJob, status: CronJobStatus, deps: CronJobDeps): Promise<void> {
  const { active = [], ...rest } = status;
  const compact: CronJobStatus = active.length > 0 ? { active, ...rest } : rest;
  if (isSame(cronJob.status ?? {}, compact)) return;
  const written = await deps.api.update<CronJob>(CRON_JOBS, { ...cronJob, status: compact }, "status");
  deps.ownWrites.wrote(keyOf(cronJob), deps.cronJobs, written);
}

const isSame = (a: CronJobStatus, b: CronJobStatus): boolean =>
  a.lastScheduleTime === b.lastScheduleTime &&
  a.lastSuccessfulTime === b.lastSuccessfulTime &&
  (a.active ?? []).map(({ uid }) => uid).join() === (b.active ?? []).map(({ uid }) => uid).join();
