import { describe, expect, it } from "vitest";
import type { CronJob, CronJobSpec, CronJobStatus, Job } from "../../../shared/api/types.ts";
import { type CronEvent, decide, decideHistory } from "./decide.ts";
import { jobOf } from "./job-of.ts";

const NOW_MS = Date.parse("2026-10-21T08:00:30Z");
const SLOT_MS = Date.parse("2026-10-21T08:00:00Z");
const BEFORE = "2026-10-21T07:00:00Z";

const cronJob = (spec: Partial<CronJobSpec> = {}, status: CronJobStatus = { lastScheduleTime: BEFORE }): CronJob => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "report", namespace: "default", uid: "cj", creationTimestamp: "2026-10-01T00:00:00Z" },
  spec: { schedule: "0 * * * *", concurrencyPolicy: "Allow", jobTemplate: {}, ...spec },
  status,
});

const ref = (name: string) => ({ kind: "Job", namespace: "default", name, uid: name });

interface JobFacts {
  ended?: "Complete" | "Failed";
  at?: string;
  started?: string;
}

const job = (name: string, { ended, at, started }: JobFacts = {}): Job => ({
  metadata: { name, namespace: "default", uid: name },
  spec: { template: {} },
  status: {
    ...(ended ? { conditions: [{ type: ended, status: "True" }] } : {}),
    ...(ended === "Complete" && at ? { completionTime: at } : {}),
    ...(started ? { startTime: started } : {}),
  },
});

interface Row {
  name: string;
  cronJob?: CronJob;
  jobs?: Job[];
  gone?: string[];
  notBeforeMs?: number;
  starts?: boolean;
  replaces?: string[];
  events?: [CronEvent["type"], string, string][];
  status?: CronJobStatus;
  sleeps?: boolean;
}

describe("decide", () => {
  it.each<Row>([
    { name: "starts a Job for a slot that is due", starts: true },
    {
      name: "waits for the next one when it was run",
      cronJob: cronJob({}, { lastScheduleTime: "2026-10-21T08:00:00Z" }),
    },
    {
      name: "does not start twice what is active by its name (a status that was lost)",
      cronJob: cronJob({}, { lastScheduleTime: BEFORE, active: [ref(`report-${SLOT_MS / 60_000}`)] }),
      jobs: [job(`report-${SLOT_MS / 60_000}`)],
    },
    {
      name: "CJ-07: Allow starts beside the active one",
      cronJob: cronJob({}, { lastScheduleTime: BEFORE, active: [ref("a")] }),
      jobs: [job("a")],
      starts: true,
    },
    {
      name: "CJ-07: Forbid skips the slot",
      cronJob: cronJob({ concurrencyPolicy: "Forbid" }, { lastScheduleTime: BEFORE, active: [ref("a")] }),
      jobs: [job("a")],
      events: [
        [
          "Normal",
          "JobAlreadyActive",
          "Not starting job because prior execution is running and concurrency policy is Forbid",
        ],
      ],
    },
    {
      name: "CJ-07: Replace takes the active ones",
      cronJob: cronJob({ concurrencyPolicy: "Replace" }, { lastScheduleTime: BEFORE, active: [ref("a"), ref("b")] }),
      jobs: [job("a"), job("b")],
      starts: true,
      replaces: ["a", "b"],
    },
    {
      name: "Forbid starts when the active one has ended, which is told",
      cronJob: cronJob({ concurrencyPolicy: "Forbid" }, { lastScheduleTime: BEFORE, active: [ref("a")] }),
      jobs: [job("a", { ended: "Complete", at: "2026-10-21T07:30:00Z" })],
      starts: true,
      events: [["Normal", "SawCompletedJob", "Saw completed job: a, condition: Complete"]],
      status: { lastScheduleTime: BEFORE, lastSuccessfulTime: "2026-10-21T07:30:00Z" },
    },
    {
      name: "a failed one is no success",
      cronJob: cronJob({ suspend: true }, { active: [ref("a"), ref("b")] }),
      jobs: [job("a", { ended: "Failed" }), job("b")],
      events: [["Normal", "SawCompletedJob", "Saw completed job: a, condition: Failed"]],
      status: { active: [ref("b")] },
      sleeps: false,
    },
    {
      name: "CJ-11: keeps the latest success",
      cronJob: cronJob({ suspend: true }, { lastSuccessfulTime: "2026-10-21T05:00:00Z" }),
      jobs: [
        job("a", { ended: "Complete", at: "2026-10-21T04:00:00Z" }),
        job("b", { ended: "Complete", at: "2026-10-21T07:00:00Z" }),
      ],
      status: { lastSuccessfulTime: "2026-10-21T07:00:00Z" },
      sleeps: false,
    },
    {
      name: "wonders about a Job that it does not know",
      cronJob: cronJob({ suspend: true }, {}),
      jobs: [job("manual")],
      events: [["Warning", "UnexpectedJob", "Saw a job that the controller did not create or forgot: manual"]],
      sleeps: false,
    },
    {
      name: "notices that an active one is gone",
      cronJob: cronJob({ suspend: true }, { active: [ref("a"), ref("b")] }),
      gone: ["a"],
      events: [["Normal", "MissingJob", "Active job went missing: a"]],
      status: { active: [ref("b")] },
      sleeps: false,
    },
    { name: "starts nothing while it is suspended", cronJob: cronJob({ suspend: true }), sleeps: false },
    {
      name: "starts nothing when it is being deleted",
      cronJob: { ...cronJob(), metadata: { name: "report", deletionTimestamp: BEFORE } },
      sleeps: false,
    },
    { name: "leaves slots alone that a new schedule had before", notBeforeMs: SLOT_MS },
    { name: "runs the first slot after the change", notBeforeMs: SLOT_MS - 1, starts: true },
    {
      name: "CJ-09: warns of many missed slots, and starts",
      cronJob: cronJob({ schedule: "* * * * *" }, { lastScheduleTime: "2026-10-20T00:00:00Z" }),
      starts: true,
      events: [
        [
          "Warning",
          "TooManyMissedTimes",
          "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
        ],
      ],
    },
    {
      name: "warns of a zone that is not there any more, also while suspended",
      cronJob: cronJob({ timeZone: "Mars/Base", suspend: true }),
      events: [["Warning", "UnknownTimeZone", 'invalid timeZone: "Mars/Base": unknown time zone Mars/Base']],
      sleeps: false,
    },
    {
      name: "warns of a schedule that it cannot read",
      cronJob: cronJob({ schedule: "0 * * *" }),
      events: [
        [
          "Warning",
          "UnparseableSchedule",
          'unparseable schedule: "0 * * *" : expected exactly 5 fields, found 4: [0 * * *]',
        ],
      ],
      sleeps: false,
    },
    {
      name: "warns of a schedule that is never due",
      cronJob: cronJob({ schedule: "0 0 31 2 *" }),
      events: [
        [
          "Warning",
          "InvalidSchedule",
          "invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second",
        ],
      ],
      sleeps: false,
    },
    {
      name: "warns of a zone in the schedule, and keeps to it",
      cronJob: cronJob({ schedule: "TZ=Europe/Berlin 0 10 * * *" }),
      starts: true,
      events: [
        [
          "Warning",
          "UnsupportedSchedule",
          'CRON_TZ or TZ used in schedule "TZ=Europe/Berlin 0 10 * * *" is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
        ],
      ],
    },
  ])("$name", (row) => {
    const {
      cronJob: cj = cronJob(),
      jobs = [],
      gone = [],
      starts = false,
      replaces = [],
      events = [],
      sleeps = true,
    } = row;
    const notBefore = row.notBeforeMs === undefined ? {} : { notBeforeMs: row.notBeforeMs };
    const plan = decide({ cronJob: cj, jobs, gone: new Set(gone), ...notBefore }, NOW_MS);
    expect(plan.start).toEqual(starts ? { slotMs: SLOT_MS, replace: replaces.map(ref) } : undefined);
    expect(plan.events.map(({ type, reason, message }) => [type, reason, message])).toEqual(events);
    if (row.status) expect(plan.status).toEqual(row.status);
    expect((plan.recheckAfterMs ?? 0) > 0).toBe(sleeps);
  });
});

describe("decideHistory", () => {
  const jobs = [
    job("c3", { ended: "Complete", started: "2026-10-21T03:00:00Z" }),
    job("c1", { ended: "Complete", started: "2026-10-21T01:00:00Z" }),
    job("c2", { ended: "Complete", started: "2026-10-21T02:00:00Z" }),
    job("f1", { ended: "Failed", started: "2026-10-21T01:00:00Z" }),
    job("f0", { ended: "Failed" }),
    job("running", { started: "2026-10-20T00:00:00Z" }),
  ];

  it.each<[name: string, spec: Partial<CronJobSpec>, want: string[]]>([
    ["keeps the newest of each", { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 }, ["c1", "c2", "f1"]],
    ["keeps none", { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 5 }, ["c1", "c2", "c3"]],
    ["keeps all without limits", {}, []],
  ])("%s", (_name, spec, want) => {
    expect(decideHistory(cronJob(spec), jobs).map(({ metadata }) => metadata.name)).toEqual(want);
  });
});

describe("jobOf", () => {
  it.each([
    ["Europe/Moscow", "2026-10-21T11:00:00+03:00"],
    ["America/St_Johns", "2026-10-21T05:30:00-02:30"],
    ["Etc/UTC", "2026-10-21T08:00:00Z"],
    [undefined, "2026-10-21T08:00:00Z"],
  ])("CJ-08, CJ-10: is named by its slot and tells it in %s", (timeZone, slot) => {
    const jobTemplate = {
      metadata: { labels: { a: "b" }, annotations: { c: "d" } },
      spec: { template: {}, parallelism: 2 },
    };
    expect(jobOf(cronJob({ timeZone, jobTemplate }), SLOT_MS)).toMatchObject({
      metadata: {
        name: "report-29876160",
        namespace: "default",
        labels: { a: "b" },
        annotations: { c: "d", "batch.kubernetes.io/cronjob-scheduled-timestamp": slot },
        ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "report", uid: "cj", controller: true }],
      },
      spec: { parallelism: 2 },
    });
  });
});
