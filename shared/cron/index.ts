/**
 * The schedules of CronJobs: what `spec.schedule` may say, and when it is due next in a time zone. Syntax and error texts
 * are those of the parser upstream uses (robfig/cron, "standard"). See docs/decisions/cron-of-our-own.md.
 */
export { nextTime } from "./next.ts";
export { parseSchedule, ScheduleError, scheduleError } from "./parse.ts";
export type { CronSchedule, EverySchedule, FieldSchedule } from "./schedule.ts";
export { offsetMsAt, zoneError } from "./zone.ts";
