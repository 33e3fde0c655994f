import type { CronJob } from "../../../shared/api/types.ts";
import { type CronSchedule, nextTime } from "../../../shared/cron/index.ts";
import { parseTime } from "../../runtime/index.ts";

/** More missed slots than this are worth a warning (CJ-09): a clock may be wrong. */
const MANY_MISSED = 100;
/** Clocks differ a little: better to look just after a slot than just before it. */
const LATE_MS = 100;

/** A schedule in its time zone ("" is UTC). */
export interface Timetable {
  schedule: CronSchedule;
  zone: string;
}

export interface LatestSlot {
  /** Epoch ms of the latest slot that is due; undefined: none is. */
  slotMs?: number;
  hasManyMissed: boolean;
  /** Where the search began: epoch ms. */
  sinceMs: number;
  /** Slots were due, though none of them is left. */
  hasMissed: boolean;
  /** The schedule cannot be kept. */
  error?: string;
}

/**
 * The latest slot that is due since the last one that was run (or since the CronJob's creation): however many were missed,
 * only that one counts (CJ-05).
 * @param sinceDeadline look back no further than startingDeadlineSeconds (CJ-06)
 */
export function latestSlot(cronJob: CronJob, table: Timetable, nowMs: number, sinceDeadline: boolean): LatestSlot {
  const sinceMs = startOfSearch(cronJob, nowMs, sinceDeadline);
  const none = { sinceMs, hasManyMissed: false, hasMissed: false };
  const firstMs = next(table, sinceMs);
  const secondMs = firstMs === undefined ? undefined : next(table, firstMs);
  if (firstMs === undefined || secondMs === undefined)
    return { ...none, error: "time difference between two schedules is less than 1 second" };
  if (nowMs < firstMs) return none;
  if (nowMs < secondMs) return { ...none, slotMs: firstMs };
  const periodMs = Math.round((secondMs - firstMs) / 1000) * 1000;
  // Estimated as if slots were evenly spaced, so that years of missed ones cost nothing.
  const missed = Math.floor((nowMs - firstMs) / periodMs) + 1;
  let slotMs: number | undefined;
  for (let atMs = next(table, firstMs + (missed - 2) * periodMs); atMs !== undefined && atMs <= nowMs; ) {
    slotMs = atMs;
    atMs = next(table, atMs);
  }
  return { sinceMs, hasManyMissed: missed > MANY_MISSED, hasMissed: true, ...(slotMs === undefined ? {} : { slotMs }) };
}

/** Ms until the slot after the latest one, and a little more; undefined when there is none. */
export function untilNextSlotMs(cronJob: CronJob, table: Timetable, nowMs: number): number | undefined {
  const { slotMs, sinceMs, hasMissed } = latestSlot(cronJob, table, nowMs, false);
  const nextMs = next(table, slotMs ?? (hasMissed ? nowMs : sinceMs));
  return nextMs === undefined ? undefined : nextMs + LATE_MS - nowMs;
}

function startOfSearch({ metadata, spec, status }: CronJob, nowMs: number, sinceDeadline: boolean): number {
  const lastMs = parseTime(status?.lastScheduleTime ?? metadata.creationTimestamp);
  const deadlineSeconds = sinceDeadline ? spec.startingDeadlineSeconds : undefined;
  return deadlineSeconds === undefined ? lastMs : Math.max(lastMs, nowMs - deadlineSeconds * 1000);
}

const next = ({ schedule, zone }: Timetable, afterMs: number): number | undefined => nextTime(schedule, zone, afterMs);
