import { CRON_JOBS, JOBS } from "../../../shared/api/refs.ts";
import type { CronJob, Job } from "../../../shared/api/types.ts";
import {
  type ControllerDefinition,
  done,
  type Enqueue,
  type InformerEvent,
  keyOf,
  OwnWrites,
  type Requeue,
} from "../../runtime/index.ts";
import { BY_CONTROLLER, byController } from "../by-controller.ts";
import { ownerKey } from "../owner-keys.ts";
import { type CronJobDeps, reconcile } from "./reconcile.ts";
import { ScheduleNotes } from "./schedule-notes.ts";

/** The look at notes of CronJobs that are gone. */
const NOTES_KEY = "notes:";

/**
 * Starts a Job for each slot of a CronJob's schedule and keeps the history within its limits. Between slots it sleeps: the
 * next one is a delayed key, and so an alarm. It looks at no pod.
 */
export const cronJobController: ControllerDefinition = {
  name: "cronjob",
  serviceAccount: "cronjob-controller",
  build(base) {
    const deps: CronJobDeps = {
      ...base,
      cronJobs: base.informer<CronJob>(CRON_JOBS),
      jobs: base.informer<Job>(JOBS),
      ownWrites: new OwnWrites(),
      schedules: new ScheduleNotes(base.notes),
    };
    deps.jobs.addIndex(BY_CONTROLLER, byController);
    return {
      concurrency: 5,
      start(enqueue) {
        deps.cronJobs.onEvent(({ type, object }) => {
          if (type !== "deleted") deps.schedules.notice(object, base.clock.nowMs());
          enqueue(keyOf(object));
        });
        deps.jobs.onEvent((event) => onJob(event, deps, enqueue));
        enqueue(NOTES_KEY);
      },
      reconcile: (key) => (key === NOTES_KEY ? dropOldNotes(deps) : reconcile(key, deps)),
    };
  },
};

function onJob(event: InformerEvent<Job>, { cronJobs }: CronJobDeps, enqueue: Enqueue): void {
  for (const job of event.type === "updated" ? [event.object, event.old] : [event.object]) {
    const key = ownerKey(job, cronJobs);
    if (key !== undefined) enqueue(key);
  }
}

/** CronJobs may have gone while nobody listened. */
async function dropOldNotes({ schedules, cronJobs }: CronJobDeps): Promise<Requeue> {
  for (const key of schedules.keys()) if (!cronJobs.get(key)) schedules.forget(key);
  return done;
}
