import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CRON_JOBS, EVENTS, JOBS } from "../../shared/api/refs.ts";
import type { CronJob, CronJobSpec, Event, Job } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { memoryNotes } from "../../test/builders/memory-notes.ts";
import { mortalClient } from "../../test/builders/mortal-client.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import type { ControllerRunner, Notes } from "../runtime/index.ts";
import { cronJobController } from "./cronjob/index.ts";

const START_MS = Date.parse("2026-10-21T08:00:10Z");
const MINUTE_MS = 60_000;

let api: MemoryApi;
let runner: ControllerRunner;
let notes: Notes;

beforeEach(() => {
  vi.useFakeTimers();
  begin();
  runner = start();
});
afterEach(() => vi.useRealTimers());

function begin(): void {
  vi.setSystemTime(START_MS);
  api = new MemoryApi();
  api.nowMs = () => Date.now();
  notes = memoryNotes();
}

const start = () => runControllers(api, [cronJobController], notes);

/** Lets time pass, with the alarms that come due. */
async function pass(ms: number, stepMs = 1000): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    await vi.advanceTimersByTimeAsync(Math.min(left, stepMs));
    void runner.alarm();
  }
  await vi.advanceTimersByTimeAsync(200);
}

const cronJob = (spec: Partial<CronJobSpec> = {}): CronJob => ({
  metadata: { name: "report", namespace: "default" },
  spec: {
    schedule: "* * * * *",
    concurrencyPolicy: "Allow",
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    jobTemplate: { spec: { template: {} } },
    ...spec,
  },
});

const slotName = (time: string) => `report-${Date.parse(`2026-10-21T${time}:00Z`) / MINUTE_MS}`;
const theCronJob = () => api.find<CronJob>(CRON_JOBS, "default/report");
const jobNames = () => api.all<Job>(JOBS).map(({ metadata }) => metadata.name);
const active = () => theCronJob()?.status?.active?.map(({ name }) => name) ?? [];
const reasons = () => api.all<Event>(EVENTS).map(({ reason }) => reason);
const change = (spec: Partial<CronJobSpec>) =>
  api.patch(CRON_JOBS, { name: "report", namespace: "default" }, "merge", { spec });

async function finish(name: string, type: "Complete" | "Failed" = "Complete"): Promise<void> {
  const completionTime = type === "Complete" ? { completionTime: new Date().toISOString() } : {};
  const status = { conditions: [{ type, status: "True" }], startTime: new Date().toISOString(), ...completionTime };
  await api.patch(JOBS, { name, namespace: "default" }, "merge", { status });
  await vi.advanceTimersByTimeAsync(50);
}

describe("a CronJob", () => {
  it("starts a Job in each slot, named by it, and sleeps between", async () => {
    await api.create(CRON_JOBS, cronJob());
    await pass(49_000);
    expect(jobNames()).toEqual([]);
    await pass(1_000);
    expect(jobNames()).toEqual([slotName("08:01")]);
    expect(theCronJob()?.status).toMatchObject({ lastScheduleTime: "2026-10-21T08:01:00Z" });
    const { length } = api.calls;
    await pass(50_000);
    expect([runner.isIdle, api.calls.length]).toEqual([true, length]);
    await pass(10_000);
    expect(jobNames()).toEqual([slotName("08:01"), slotName("08:02")]);
    expect(active()).toEqual(jobNames());
  });

  it("forgets a Job that ended, keeps its time, and keeps the history short", async () => {
    await api.create(CRON_JOBS, cronJob({ successfulJobsHistoryLimit: 2 }));
    for (const slot of ["08:01", "08:02", "08:03"]) {
      await pass(MINUTE_MS);
      await finish(slotName(slot));
    }
    expect([jobNames(), active()]).toEqual([[slotName("08:02"), slotName("08:03")], []]);
    expect(Date.parse(theCronJob()?.status?.lastSuccessfulTime ?? "")).toBeGreaterThan(
      START_MS + 3 * MINUTE_MS - 11_000,
    );
    expect(reasons().slice(-2)).toEqual(["SuccessfulDelete", "SawCompletedJob"]);
  });

  it("CJ-07: replaces", async () => {
    await api.create(CRON_JOBS, cronJob({ concurrencyPolicy: "Replace" }));
    await pass(2 * MINUTE_MS);
    expect([jobNames(), active()]).toEqual([[slotName("08:02")], [slotName("08:02")]]);
  });

  it("CJ-05: makes up for one slot after it was suspended", async () => {
    await api.create(CRON_JOBS, cronJob({ suspend: true }));
    await pass(5 * MINUTE_MS + 20_000);
    expect(jobNames()).toEqual([]);
    await change({ suspend: false });
    await pass(1000);
    expect(jobNames()).toEqual([slotName("08:05")]);
  });

  it("CJ-05: makes up for one slot after a time when nobody was there", async () => {
    await api.create(CRON_JOBS, cronJob());
    await pass(1000);
    runner = start();
    vi.setSystemTime(START_MS + 10 * MINUTE_MS);
    await pass(1000);
    expect(jobNames()).toEqual([slotName("08:10")]);
  });

  it("does not make up for slots of a new schedule, even if the change is what wakes it", async () => {
    await api.create(CRON_JOBS, cronJob({ schedule: "0 0 1 1 *" }));
    await pass(5 * MINUTE_MS);
    api.onBatch = () => {};
    await change({ schedule: "* * * * *" });
    runner = start();
    await pass(5000);
    expect(jobNames()).toEqual([]);
    await pass(MINUTE_MS);
    expect(jobNames()).toEqual([slotName("08:06")]);
  });

  it("leaves no notes of CronJobs that are gone", async () => {
    await api.create(CRON_JOBS, cronJob());
    await pass(1000);
    expect([...notes.list("cronjob-schedule/")]).toHaveLength(1);
    api.onBatch = () => {};
    await api.delete(CRON_JOBS, { name: "report", namespace: "default" });
    runner = start();
    await pass(1000);
    expect([...notes.list("cronjob-schedule/")]).toEqual([]);
  });

  it("CJ-08: has one Job a slot when it dies after any write", { timeout: 60_000 }, async () => {
    const spec: Partial<CronJobSpec> = { concurrencyPolicy: "Replace", successfulJobsHistoryLimit: 1 };
    for (let writes = 0; ; writes++) {
      begin();
      await api.create(CRON_JOBS, cronJob(spec));
      const { client, isDead } = mortalClient(api, writes);
      runner = runControllers(api, [cronJobController], notes, client);
      let hasDied = false;
      const revive = async () => {
        if (!isDead() || hasDied) return;
        hasDied = true;
        runner = start();
        await pass(2000);
      };
      const created = () =>
        api.calls.flatMap(({ verb, resource, name }) => (verb === "create" && resource === "jobs" ? [name] : []));
      for (const slot of ["08:01", "08:02", "08:03", "08:04"]) {
        await pass(MINUTE_MS, 10_000);
        await revive();
        if (slot !== "08:03") await finish(slotName(slot));
      }
      await pass(2000);
      await revive();
      expect(new Set(created()), `after ${writes} writes`).toEqual(
        new Set(["08:01", "08:02", "08:03", "08:04"].map(slotName)),
      );
      expect([jobNames(), active(), theCronJob()?.status?.lastScheduleTime]).toEqual([
        [slotName("08:04")],
        [],
        "2026-10-21T08:04:00Z",
      ]);
      if (!hasDied) break;
      expect(writes).toBeLessThan(60);
    }
  });
});
