import type { CronSchedule, FieldSchedule } from "./schedule.ts";
import { offsetMsAt } from "./zone.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A schedule that is not due within so many years never is (robfig/cron gives up there, too). */
const MAX_YEARS = 5;
/** No zone keeps an offset for a shorter time than this (Morocco's Ramadan: a month). */
const OFFSET_STEP_MS = 7 * DAY_MS;

/**
 * The first instant after `afterMs` at which the schedule is due: where the zone's wall clock shows a minute that it
 * names. A time that is skipped when clocks go forward is not made up for, one that comes twice when they go back is due
 * twice, as with robfig/cron.
 * @param zone an IANA name; "" for UTC. A zone in the schedule itself goes first
 * @returns epoch ms; undefined when it is never due (the 31st of February)
 * @throws RangeError for a zone that does not exist
 */
export function nextTime(schedule: CronSchedule, zone: string, afterMs: number): number | undefined {
  if (schedule.kind === "every") return Math.floor(afterMs / SECOND_MS) * SECOND_MS + schedule.everyMs;
  const place = schedule.zone ?? zone;
  let fromMs = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
  for (;;) {
    const offsetMs = offsetMsAt(place, fromMs);
    const wallMs = nextWallTime(schedule, fromMs + offsetMs);
    if (wallMs === undefined) return undefined;
    const dueMs = wallMs - offsetMs;
    const changeMs = firstChange(place, fromMs, dueMs, offsetMs);
    if (changeMs === undefined) return dueMs;
    fromMs = changeMs;
  }
}

/** The first matching minute from `fromMs` on; both as if the wall clock showed UTC. */
function nextWallTime(schedule: FieldSchedule, fromMs: number): number | undefined {
  const lastYear = new Date(fromMs).getUTCFullYear() + MAX_YEARS;
  const firstDayMs = Math.floor(fromMs / DAY_MS) * DAY_MS;
  for (let dayMs = firstDayMs; ; dayMs += DAY_MS) {
    const day = new Date(dayMs);
    if (day.getUTCFullYear() > lastYear) return undefined;
    if (!isDayMatching(schedule, day)) continue;
    const minute = nextMinuteOfDay(schedule, dayMs === firstDayMs ? Math.ceil((fromMs - dayMs) / MINUTE_MS) : 0);
    if (minute !== undefined) return dayMs + minute * MINUTE_MS;
  }
}

function isDayMatching(schedule: FieldSchedule, day: Date): boolean {
  if (!schedule.months.has(day.getUTCMonth() + 1)) return false;
  const isOfMonth = schedule.daysOfMonth.has(day.getUTCDate());
  const isOfWeek = schedule.daysOfWeek.has(day.getUTCDay());
  return schedule.needsBothDays ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
}

function nextMinuteOfDay({ hours, minutes }: FieldSchedule, from: number): number | undefined {
  for (let hour = Math.floor(from / 60); hour < 24; hour++) {
    if (!hours.has(hour)) continue;
    for (let minute = Math.max(0, from - hour * 60); minute < 60; minute++)
      if (minutes.has(minute)) return hour * 60 + minute;
  }
  return undefined;
}

/** When the zone's offset first differs from `offsetMs` in (fromMs, toMs], to the minute. */
function firstChange(zone: string, fromMs: number, toMs: number, offsetMs: number): number | undefined {
  let sameMs = fromMs;
  while (sameMs < toMs) {
    const nextMs = Math.min(sameMs + OFFSET_STEP_MS, toMs);
    if (offsetMsAt(zone, nextMs) !== offsetMs) return bisectChange(zone, sameMs, nextMs, offsetMs);
    sameMs = nextMs;
  }
  return undefined;
}

function bisectChange(zone: string, sameMs: number, otherMs: number, offsetMs: number): number {
  let [low, high] = [sameMs / MINUTE_MS, otherMs / MINUTE_MS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMsAt(zone, middle * MINUTE_MS) === offsetMs) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
}
