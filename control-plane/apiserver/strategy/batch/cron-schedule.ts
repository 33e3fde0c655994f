/** Thrown texts are those of the parser upstream uses (robfig/cron). */
class ScheduleError extends Error {}

interface Bounds {
  min: number;
  max: number;
  names?: string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
/** Minute, hour, day of month, month, day of week. */
const BOUNDS: Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
const EVERY = "@every ";

function parseNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  if (Number(text) < 0) throw new ScheduleError(`negative number (${Number(text)}) not allowed: ${text}`);
  return Number(text);
}

function parseNumberOrName(text: string, { min, names }: Bounds): number {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  return index < 0 ? parseNumber(text) : index + min;
}

function assertRange(text: string, bounds: Bounds): void {
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
}

function assertDescriptor(text: string): void {
  if (DESCRIPTORS.includes(text)) return;
  if (!text.startsWith(EVERY)) throw new ScheduleError(`unrecognized descriptor: ${text}`);
  const duration = text.slice(EVERY.length);
  if (!/^[+-]?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(duration) && !/^[+-]?0$/.test(duration)) {
    throw new ScheduleError(`failed to parse duration ${text}: time: ${durationError(duration)}`);
  }
}

function durationError(text: string): string {
  const unit = /^[+-]?(?:\d+\.?\d*|\.\d+)([^\d.]*)/.exec(text);
  if (!unit) return `invalid duration ${JSON.stringify(text)}`;
  return unit[1]
    ? `unknown unit ${JSON.stringify(unit[1])} in duration ${JSON.stringify(text)}`
    : `missing unit in duration ${JSON.stringify(text)}`;
}

function assertSchedule(text: string): void {
  let rest = text;
  if (/^(CRON_)?TZ=/.test(text)) {
    const zone = text.slice(text.indexOf("=") + 1).split(" ")[0] ?? "";
    if (zoneError(zone) !== undefined) throw new ScheduleError(`provided bad location ${zone}: ${zoneError(zone)}`);
    rest = text.slice(text.includes(" ") ? text.indexOf(" ") : text.length).trim();
  }
  if (rest.startsWith("@")) assertDescriptor(rest);
  else assertFields(rest);
}

function assertFields(rest: string): void {
  const fields = rest.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== BOUNDS.length) {
    throw new ScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  }
  for (const [i, bounds] of BOUNDS.entries()) {
    for (const range of (fields[i] ?? "").split(",")) if (range !== "") assertRange(range, bounds);
  }
}

/** Why a schedule is wrong; undefined when it is not. */
export function scheduleError(text: string): string | undefined {
  try {
    assertSchedule(text);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

/** Why a name is not that of a time zone, in the words of Go's time.LoadLocation. */
export function zoneError(name: string): string | undefined {
  if (name === "" || name === "UTC" || name === "Local") return undefined;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return undefined;
  } catch {
    return `unknown time zone ${name}`;
  }
}
