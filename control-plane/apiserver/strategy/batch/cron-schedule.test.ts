import { expect, test } from "vitest";
import { scheduleError, zoneError } from "./cron-schedule.ts";

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
  ["@never", "unrecognized descriptor: @never"],
  ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
])("%s", (schedule, error) => {
  expect(scheduleError(schedule)).toBe(error);
});

test("time zones", () => {
  expect(zoneError("Europe/Berlin")).toBeUndefined();
  expect(zoneError("Mars/Base")).toBe("unknown time zone Mars/Base");
});
