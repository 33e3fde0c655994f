import type { CronSchedule, FieldSchedule } from "./schedule.ts";
import { zoneError } from "./zone.ts";

/** Its message is that of the parser upstream uses (robfig/cron). */
export class ScheduleError extends Error {}

interface Bounds {
  min: number;
  max: number;
  names?: string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS: Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS: Record<string, string> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const EVERY = "@every ";
/** Go counts nanoseconds in 64 bits: some 292 years. */
const MAX_DURATION_MS = 2 ** 63 / 1e6;
const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** One field: the values it allows, and whether it stands for all of them (`*`, `?`, also in a list). */
interface Field {
  values: Set<number>;
  isAny: boolean;
}

function parseNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  if (BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    throw new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`,
    );
  }
  if (Number(text) < 0) throw new ScheduleError(`negative number (${Number(text)}) not allowed: ${text}`);
  return Number(text);
}

function parseNumberOrName(text: string, { min, names }: Bounds): number {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  return index < 0 ? parseNumber(text) : index + min;
}

function addRange(text: string, bounds: Bounds, field: Field): void {
  const [range = "", step, ...moreSlashes] = text.split("/");
  const [low = "", high, ...moreHyphens] = range.split("-");
  const isAny = low === "*" || low === "?";
  const start = isAny ? bounds.min : parseNumberOrName(low, bounds);
  let end = isAny ? bounds.max : start;
  if (!isAny && moreHyphens.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
  if (!isAny && high !== undefined) end = parseNumberOrName(high, bounds);
  if (moreSlashes.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  const by = step === undefined ? 1 : parseNumber(step);
  if (step !== undefined && high === undefined) end = bounds.max;
  if (start < bounds.min) {
    throw new ScheduleError(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`);
  }
  if (end > bounds.max) throw new ScheduleError(`end of range (${end}) above maximum (${bounds.max}): ${text}`);
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (by === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
  for (let value = start; value <= end; value += by) field.values.add(value);
  if (isAny && by === 1) field.isAny = true;
}

function parseField(text: string, bounds: Bounds): Field {
  const field: Field = { values: new Set(), isAny: false };
  for (const range of text.split(",")) if (range !== "") addRange(range, bounds, field);
  return field;
}

function parseFields(text: string): FieldSchedule {
  const fields = text.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== FIELDS.length) {
    throw new ScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = FIELDS.map((bounds, i) =>
    parseField(fields[i] ?? "", bounds),
  ) as [Field, Field, Field, Field, Field];
  return {
    kind: "fields",
    minutes: minute.values,
    hours: hour.values,
    daysOfMonth: dayOfMonth.values,
    months: month.values,
    daysOfWeek: dayOfWeek.values,
    needsBothDays: dayOfMonth.isAny || dayOfWeek.isAny,
  };
}

function parseDescriptor(text: string): CronSchedule {
  const fields = DESCRIPTORS[text];
  if (fields !== undefined) return parseFields(fields);
  if (!text.startsWith(EVERY)) throw new ScheduleError(`unrecognized descriptor: ${text}`);
  const duration = text.slice(EVERY.length);
  if (!/^[+-]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(duration) && !/^[+-]?0$/.test(duration)) {
    throw new ScheduleError(`failed to parse duration ${text}: time: ${durationError(duration)}`);
  }
  let ms = 0;
  for (const [, number, unit = ""] of duration.matchAll(PART)) ms += Number(number) * (UNIT_MS[unit] ?? 0);
  if (ms > MAX_DURATION_MS)
    throw new ScheduleError(`failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`);
  if (duration.startsWith("-")) ms = -ms;
  return { kind: "every", everyMs: Math.max(1, Math.floor(ms / 1000)) * 1000 };
}

function durationError(text: string): string {
  const unit = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)([^\d.]*)/.exec(text);
  if (!unit) return `invalid duration ${JSON.stringify(text)}`;
  return unit[1]
    ? `unknown unit ${JSON.stringify(unit[1])} in duration ${JSON.stringify(text)}`
    : `missing unit in duration ${JSON.stringify(text)}`;
}

/**
 * Reads a CronJob's schedule: five fields, or a descriptor such as `@daily` and `@every 1h30m`.
 * @throws ScheduleError
 */
export function parseSchedule(text: string): CronSchedule {
  if (!/^(CRON_)?TZ=/.test(text)) return text.startsWith("@") ? parseDescriptor(text) : parseFields(text);
  const zone = text.slice(text.indexOf("=") + 1).split(" ")[0] ?? "";
  const error = zoneError(zone);
  if (error !== undefined) throw new ScheduleError(`provided bad location ${zone}: ${error}`);
  const rest = text.slice(text.includes(" ") ? text.indexOf(" ") : text.length).trim();
  return { ...(rest.startsWith("@") ? parseDescriptor(rest) : parseFields(rest)), zone };
}

/** Why a schedule is wrong; undefined when it is not. */
export function scheduleError(text: string): string | undefined {
  try {
    parseSchedule(text);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}
