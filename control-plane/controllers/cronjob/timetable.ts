import type { CronJob } from "../../../shared/api/types.ts";
import { parseSchedule, ScheduleError, zoneError } from "../../../shared/cron/index.ts";
import type { Warning } from "./decide.ts";
import type { Timetable } from "./slots.ts";

/**
 * Reads a CronJob's schedule and zone. Both are checked when it is written; objects may be older than the check, and zones
 * may vanish.
 * @returns the timetable, and what there is to warn of; without a timetable nothing is started
 */
export function readTimetable({ spec }: CronJob): { table?: Timetable; warnings: Warning[] } {
  const { schedule, timeZone: zone = "" } = spec;
  const error = zoneError(zone);
  if (error !== undefined)
    return {
      warnings: [{ reason: "UnknownTimeZone", message: `invalid timeZone: ${JSON.stringify(zone)}: ${error}` }],
    };
  const warnings = schedule.includes("TZ") ? [{ reason: "UnsupportedSchedule", message: unsupported(schedule) }] : [];
  try {
    return { table: { schedule: parseSchedule(schedule), zone }, warnings };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${error.message}`;
    return { warnings: [...warnings, { reason: "UnparseableSchedule", message }] };
  }
}

const unsupported = (schedule: string): string =>
  `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`;
