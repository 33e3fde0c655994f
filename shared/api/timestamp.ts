/*
 * RFC 3339 times as upstream's meta/v1 Time and MicroTime read and print them, with the messages of Go's time.Parse.
 */

const SECONDS_LAYOUT = "2006-01-02T15:04:05Z07:00";
const MICROS_LAYOUT = "2006-01-02T15:04:05.000000Z07:00";
/** What most clients send is canonical already. */
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const CANONICAL_MICROS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Go's zero time, which stands for no time at all. */
const ZERO = "0001-01-01T00:00:00";

/** metav1.Time on the wire, of epoch milliseconds: whole seconds, `2026-10-21T08:15:42Z`. */
export const printTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** metav1.MicroTime on the wire. Clocks here count milliseconds, the last three digits are zero. */
export const printMicroTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 23)}000Z`;

/**
 * The time in UTC, cut to whole seconds, as it is stored; undefined for Go's zero time.
 * @throws RangeError with Go's message
 */
export function canonicalTime(text: string): string | undefined {
  const parsed = parse(text, SECONDS_LAYOUT, CANONICAL);
  const seconds = parsed.slice(0, 19);
  return seconds === ZERO ? undefined : `${seconds}Z`;
}

/**
 * The same with six digits of fraction, which must be there.
 * @throws RangeError with Go's message
 */
export function canonicalMicroTime(text: string): string | undefined {
  const parsed = parse(text, MICROS_LAYOUT, CANONICAL_MICROS);
  if (parsed.startsWith(ZERO)) return undefined;
  return `${parsed.slice(0, 26)}Z`;
}

/** `2006-01-02T15:04:05.000000` in UTC. */
function parse(text: string, layout: string, canonical: RegExp): string {
  const parts = new Parser(text, layout).parts();
  if (canonical.test(text)) return `${text.slice(0, -1)}${layout === MICROS_LAYOUT ? "" : ".000000"}`;
  const date = new Date(0);
  date.setUTCFullYear(parts.year, parts.month - 1, parts.day);
  date.setUTCHours(parts.hour, parts.minute - parts.offsetMinutes, parts.second);
  return `${date.toISOString().slice(0, 19)}.${parts.micros}`;
}

interface Parts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** Six digits. */
  micros: string;
  offsetMinutes: number;
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Reads a text by the elements of a layout, left to right, and says at which one it failed. */
class Parser {
  readonly #text: string;
  readonly #layout: string;
  #at = 0;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
  }

  parts(): Parts {
    const year = this.#digits(4, "2006");
    this.#literal("-");
    const month = this.#digits(2, "01");
    if (month < 1 || month > 12) this.#outOfRange("month");
    this.#literal("-");
    const day = this.#digits(2, "02");
    this.#literal("T");
    const hour = this.#digits(2, "15");
    if (hour > 23) this.#outOfRange("hour");
    this.#literal(":");
    const minute = this.#digits(2, "04");
    if (minute > 59) this.#outOfRange("minute");
    this.#literal(":");
    const second = this.#digits(2, "05");
    if (second > 59) this.#outOfRange("second");
    const micros = this.#fraction();
    const offsetMinutes = this.#offset();
    if (this.#at < this.#text.length) this.#fail(`: extra text: ${quote(this.#rest())}`);
    if (day < 1 || day > DAYS[month - 1]! || (month === 2 && day === 29 && !isLeap(year))) this.#outOfRange("day");
    return { year, month, day, hour, minute, second, micros, offsetMinutes };
  }

  #rest(): string {
    return this.#text.slice(this.#at);
  }

  #fail(detail: string): never {
    throw new RangeError(`parsing time ${quote(this.#text)}${detail}`);
  }

  #cannotParse(element: string): never {
    this.#fail(` as ${quote(this.#layout)}: cannot parse ${quote(this.#rest())} as ${quote(element)}`);
  }

  #outOfRange(element: string): never {
    this.#fail(`: ${element} out of range`);
  }

  #digits(count: number, element: string): number {
    const digits = this.#text.slice(this.#at, this.#at + count);
    if (digits.length < count || !/^\d+$/.test(digits)) this.#cannotParse(element);
    this.#at += count;
    return Number(digits);
  }

  #literal(char: string): void {
    if (this.#text.charAt(this.#at) !== char) this.#cannotParse(char);
    this.#at++;
  }

  #fraction(): string {
    const match = /^[.,](\d+)/.exec(this.#rest());
    if (this.#layout === MICROS_LAYOUT) {
      const digits = /^\.(\d{6})/.exec(this.#rest());
      if (!digits) this.#cannotParse(".000000");
      this.#at += 7;
      return digits[1]!;
    }
    if (!match) return "000000";
    this.#at += match[0].length;
    return match[1]!.slice(0, 6).padEnd(6, "0");
  }

  #offset(): number {
    if (this.#text.charAt(this.#at) === "Z") {
      this.#at++;
      return 0;
    }
    const match = /^([+-])(\d\d):(\d\d)/.exec(this.#rest());
    if (!match) this.#cannotParse("Z07:00");
    const [whole, sign, hours, minutes] = match;
    if (Number(hours) > 24) this.#outOfRange("time zone offset hour");
    if (Number(minutes) > 60) this.#outOfRange("time zone offset minute");
    this.#at += whole.length;
    return (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  }
}

const quote = (text: string) => JSON.stringify(text);
