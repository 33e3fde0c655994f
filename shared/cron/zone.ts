import { LruMap } from "../lru-map.ts";

/** Formatters are dear to make and hold much; a cluster's CronJobs use few zones. */
const MAX_FORMATTERS = 64;

const formatters = new LruMap<string, Intl.DateTimeFormat>(MAX_FORMATTERS);

/** Why a name is not that of a time zone, in the words of Go's time.LoadLocation. "" and Local stand for UTC here. */
export function zoneError(name: string): string | undefined {
  if (isUtc(name)) return undefined;
  const unknown = `unknown time zone ${name}`;
  try {
    return isInCase(name, formatterOf(name).resolvedOptions().timeZone) ? undefined : unknown;
  } catch {
    return unknown;
  }
}

/** Words in names that begin small: Africa/Dar_es_Salaam, America/Port-au-Prince, Europe/Isle_of_Man. */
const SMALL_WORDS = new Set(["au", "es", "of"]);

/**
 * Intl takes names in any case and offsets too, Go names only, as they are. For an alias Intl may name the zone that it stands for: then its
 * words tell, which begin with a capital and are not shouted, short ones and EST5EDT's kind apart.
 */
function isInCase(name: string, resolved: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  if (name.toLowerCase() === resolved.toLowerCase()) return name === resolved;
  const words = name.split(/[/_-]/).filter((word) => /^[A-Za-z]/.test(word));
  return words.every((word) => SMALL_WORDS.has(word) || (/^[A-Z]/.test(word) && !/^[A-Z]{5,}$/.test(word)));
}

/**
 * What the zone's wall clock is ahead of UTC at an instant, in ms.
 * @throws RangeError for a zone that does not exist
 */
export function offsetMsAt(zone: string, atMs: number): number {
  if (isUtc(zone)) return 0;
  const wall: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(atMs)) wall[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = wall;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / 1000) * 1000;
}

const isUtc = (zone: string): boolean => zone === "" || zone === "UTC" || zone === "Local";

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formatters.set(zone, formatter);
  }
  return formatter;
}
