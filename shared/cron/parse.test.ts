import { expect, test } from "vitest";
import { parseSchedule, scheduleError } from "./parse.ts";
import { zoneError } from "./zone.ts";

test.each([
  ["* * * * *", undefined],
  ["*/5 0-6 1,15 jan-mar MON-FRI", undefined],
  ["5/15 * * * ?", undefined],
  ["@hourly", undefined],
  ["@every 1h30m", undefined],
  ["TZ=Europe/Berlin 0 0 * * *", undefined],
  ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
  [
    "9223372036854775808 * * * *",
    'failed to parse int from 9223372036854775808: strconv.Atoi: parsing "9223372036854775808": value out of range',
  ],
  ["+5 * * * *", undefined],
  ["@never", "unrecognized descriptor: @never"],
  ["@every 2562048h", 'failed to parse duration @every 2562048h: time: invalid duration "2562048h"'],
  ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
])("%s", (schedule, error) => {
  expect(scheduleError(schedule)).toBe(error);
});

test("what a schedule allows", () => {
  expect(parseSchedule("TZ=Europe/Berlin 5/30 1-3,7 ? jan,DEC 1-5/2")).toEqual({
    kind: "fields",
    minutes: new Set([5, 35]),
    hours: new Set([1, 2, 3, 7]),
    daysOfMonth: new Set(Array.from({ length: 31 }, (_, i) => i + 1)),
    months: new Set([1, 12]),
    daysOfWeek: new Set([1, 3, 5]),
    needsBothDays: true,
    zone: "Europe/Berlin",
  });
  expect(parseSchedule("0 0 */2 * 1")).toMatchObject({ needsBothDays: false });
  expect(parseSchedule("@every 1m30.5s")).toEqual({ kind: "every", everyMs: 90_000 });
  expect(parseSchedule("@every -5s")).toEqual({ kind: "every", everyMs: 1000 });
});

test("a long run of digits is walked once", () => {
  expect(() => parseSchedule(`@every ${"1".repeat(1_000_000)}`)).toThrow("missing unit in duration");
  expect(() => parseSchedule(`@every ${"1".repeat(1_000_000)}x`)).toThrow('unknown unit "x" in duration');
});

test.each([
  ["Europe/Berlin", true],
  ["US/Pacific", true],
  ["Asia/Calcutta", true],
  ["Etc/GMT+5", true],
  ["EST5EDT", true],
  ["Africa/Dar_es_Salaam", true],
  ["America/Port-au-Prince", true],
  ["NZ-CHAT", true],
  ["", true],
  ["europe/berlin", false],
  ["us/pacific", false],
  ["US/PACIFIC", false],
  ["EUROPE/BERLIN", false],
  ["+03:00", false],
  ["+03", false],
  ["Mars/Base", false],
])("the zone %j is known: %s", (zone, isKnown) => {
  expect(zoneError(zone)).toBe(isKnown ? undefined : `unknown time zone ${zone}`);
});
