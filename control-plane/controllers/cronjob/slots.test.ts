import { describe, expect, it } from "vitest";
import type { CronJob } from "../../../shared/api/types.ts";
import { parseSchedule } from "../../../shared/cron/index.ts";
import { latestSlot, untilNextSlotMs } from "./slots.ts";

const cronJob = (lastScheduleTime: string, startingDeadlineSeconds?: number): CronJob => ({
  metadata: { name: "report", namespace: "default", creationTimestamp: "2020-01-01T00:00:00Z" },
  spec: {
    schedule: "",
    jobTemplate: {},
    ...(startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds }),
  },
  status: { lastScheduleTime },
});

interface Row {
  name: string;
  schedule: string;
  zone?: string;
  last: string;
  now: string;
  deadlineSeconds?: number;
  slot?: string;
  isMany?: boolean;
  next?: string;
}

describe("latestSlot", () => {
  it.each<Row>([
    {
      name: "none is due yet",
      schedule: "0 * * * *",
      last: "2026-10-21T08:00:00Z",
      now: "2026-10-21T08:59:59Z",
      next: "2026-10-21T09:00:00.100Z",
    },
    {
      name: "one is due",
      schedule: "0 * * * *",
      last: "2026-10-21T08:00:00Z",
      now: "2026-10-21T09:00:00.1Z",
      slot: "2026-10-21T09:00:00Z",
      next: "2026-10-21T10:00:00.100Z",
    },
    {
      name: "CJ-05: of several missed ones, the latest",
      schedule: "*/10 * * * *",
      last: "2026-10-21T08:00:00Z",
      now: "2026-10-21T08:35:00Z",
      slot: "2026-10-21T08:30:00Z",
      next: "2026-10-21T08:40:00.100Z",
    },
    {
      name: "also where they are not evenly spaced",
      schedule: "30 6-16/4 * * 1-5",
      last: "2026-10-16T14:30:00Z",
      now: "2026-10-19T11:00:00Z",
      slot: "2026-10-19T10:30:00Z",
      next: "2026-10-19T14:30:00.100Z",
    },
    {
      name: "CJ-06: a deadline limits how far back is looked",
      schedule: "0 * * * *",
      last: "2026-10-21T05:00:00Z",
      now: "2026-10-21T08:10:00Z",
      deadlineSeconds: 300,
      next: "2026-10-21T09:00:00.100Z",
    },
    {
      name: "within the deadline",
      schedule: "0 * * * *",
      last: "2026-10-21T05:00:00Z",
      now: "2026-10-21T08:04:00Z",
      deadlineSeconds: 300,
      slot: "2026-10-21T08:00:00Z",
    },
    {
      name: "a hundred missed ones are not many",
      schedule: "* * * * *",
      last: "2026-10-21T08:00:00Z",
      now: "2026-10-21T09:40:30Z",
      slot: "2026-10-21T09:40:00Z",
    },
    {
      name: "CJ-09: more are, and the latest is due all the same",
      schedule: "* * * * *",
      last: "2026-10-21T08:00:00Z",
      now: "2026-10-21T09:41:30Z",
      slot: "2026-10-21T09:41:00Z",
      isMany: true,
    },
    {
      name: "years of missed ones cost nothing",
      schedule: "* * * * *",
      last: "1990-01-01T00:00:00Z",
      now: "2026-10-21T08:00:30Z",
      slot: "2026-10-21T08:00:00Z",
      isMany: true,
    },
    {
      name: "@every counts from the last one",
      schedule: "@every 7m",
      last: "2026-10-21T08:00:10Z",
      now: "2026-10-21T08:30:00Z",
      slot: "2026-10-21T08:28:10Z",
      next: "2026-10-21T08:35:10.100Z",
    },
    {
      name: "CJ-04: in its time zone",
      schedule: "0 3 * * *",
      zone: "Europe/Moscow",
      last: "2026-10-20T00:00:00Z",
      now: "2026-10-21T00:00:30Z",
      slot: "2026-10-21T00:00:00Z",
      next: "2026-10-22T00:00:00.100Z",
    },
    {
      name: "a slot that does not exist in spring",
      schedule: "30 2 * * *",
      zone: "Europe/Berlin",
      last: "2026-03-28T01:30:00Z",
      now: "2026-03-29T12:00:00Z",
      next: "2026-03-30T00:30:00.100Z",
    },
    {
      name: "one that comes again in autumn",
      schedule: "30 2 * * *",
      zone: "Europe/Berlin",
      last: "2026-10-25T00:30:00Z",
      now: "2026-10-25T01:31:00Z",
      slot: "2026-10-25T01:30:00Z",
      next: "2026-10-26T01:30:00.100Z",
    },
  ])("$name", ({ schedule, zone = "", last, now, deadlineSeconds, slot, isMany = false, next }) => {
    const table = { schedule: parseSchedule(schedule), zone };
    const nowMs = Date.parse(now);
    const { slotMs, hasManyMissed, error } = latestSlot(cronJob(last, deadlineSeconds), table, nowMs, true);
    expect([slotMs, hasManyMissed, error]).toEqual([slot && Date.parse(slot), isMany, undefined]);
    if (next) {
      const inMs = untilNextSlotMs(cronJob(last, deadlineSeconds), table, nowMs);
      expect(new Date(nowMs + (inMs ?? 0)).toISOString()).toBe(new Date(next).toISOString());
    }
  });

  it("counts from the creation at first", () => {
    const { status: _, ...fresh } = cronJob("");
    const table = { schedule: parseSchedule("0 0 1 1 *"), zone: "" };
    expect(latestSlot(fresh, table, Date.parse("2022-06-01T00:00:00Z"), true).slotMs).toBe(
      Date.parse("2022-01-01T00:00:00Z"),
    );
  });

  it("cannot keep a schedule that is never due", () => {
    const table = { schedule: parseSchedule("59 23 31 2 *"), zone: "" };
    expect(latestSlot(cronJob("2026-01-01T00:00:00Z"), table, Date.parse("2026-10-21T08:00:00Z"), true).error).toBe(
      "time difference between two schedules is less than 1 second",
    );
  });
});
