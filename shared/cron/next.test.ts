import { describe, expect, it } from "vitest";
import { nextTime } from "./next.ts";
import { parseSchedule } from "./parse.ts";
import { offsetMsAt } from "./zone.ts";

/** The next `count` times, in UTC. */
function times(schedule: string, zone: string, after: string, count: number): string[] {
  const parsed = parseSchedule(schedule);
  const found: string[] = [];
  for (let atMs = Date.parse(after); found.length < count; ) {
    const next = nextTime(parsed, zone, atMs);
    if (next === undefined) break;
    found.push(new Date(next).toISOString().replace(".000Z", "Z"));
    atMs = next;
  }
  return found;
}

describe("nextTime", () => {
  it.each<[name: string, schedule: string, zone: string, after: string, want: string[]]>([
    ["is after the given time", "* * * * *", "", "2026-01-01T00:00:00Z", ["2026-01-01T00:01:00Z"]],
    ["is on the minute", "* * * * *", "", "2026-01-01T00:00:59.500Z", ["2026-01-01T00:01:00Z"]],
    [
      "steps within hours",
      "5/20 8-9 * * *",
      "",
      "2026-01-01T08:40:00Z",
      ["2026-01-01T08:45:00Z", "2026-01-01T09:05:00Z", "2026-01-01T09:25:00Z"],
    ],
    ["takes names", "0 0 * feb SUN", "", "2026-01-01T00:00:00Z", ["2026-02-01T00:00:00Z", "2026-02-08T00:00:00Z"]],
    [
      "takes either day when both are restricted",
      "0 0 13 * FRI",
      "",
      "2026-01-01T00:00:00Z",
      ["2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z", "2026-01-13T00:00:00Z", "2026-01-16T00:00:00Z"],
    ],
    [
      "takes either day when one has a step (a step is a restriction)",
      "0 0 */30 * MON",
      "",
      "2026-01-01T00:00:00Z",
      [
        "2026-01-05T00:00:00Z",
        "2026-01-12T00:00:00Z",
        "2026-01-19T00:00:00Z",
        "2026-01-26T00:00:00Z",
        "2026-01-31T00:00:00Z",
      ],
    ],
    [
      "waits for a leap year",
      "0 0 29 2 *",
      "",
      "2026-01-01T00:00:00Z",
      ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"],
    ],
    ["is never on a day that does not exist", "0 0 31 2 *", "", "2026-01-01T00:00:00Z", []],
    ["is never when a field allows nothing", ", * * * *", "", "2026-01-01T00:00:00Z", []],
    ["@every counts from the last time", "@every 1h30m", "", "2026-01-01T00:00:10.7Z", ["2026-01-01T01:30:10Z"]],
    ["@every has a second at least", "@every 1ms", "", "2026-01-01T00:00:10Z", ["2026-01-01T00:00:11Z"]],
    ["@weekly is on Sunday", "@weekly", "", "2026-01-01T00:00:00Z", ["2026-01-04T00:00:00Z"]],
    ["Moscow has no summer time", "0 3 * * *", "Europe/Moscow", "2026-07-01T00:00:00Z", ["2026-07-02T00:00:00Z"]],
    [
      "a zone in the schedule goes first",
      "TZ=Asia/Tokyo 0 9 * * *",
      "Europe/Moscow",
      "2026-01-01T00:00:00Z",
      ["2026-01-02T00:00:00Z"],
    ],
    ["Kathmandu is 45 minutes off", "0 12 * * *", "Asia/Kathmandu", "2026-01-01T00:00:00Z", ["2026-01-01T06:15:00Z"]],
    [
      "Berlin: half past two does not exist on the day clocks go forward",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-03-27T12:00:00Z",
      ["2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z"],
    ],
    [
      "Berlin: half past two comes twice on the day they go back",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00:00Z",
      ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"],
    ],
    [
      "New York: every hour is an hour of the clock",
      "0 * * * *",
      "America/New_York",
      "2026-11-01T04:30:00Z",
      ["2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z", "2026-11-01T07:00:00Z"],
    ],
    [
      "New York: noon moves in UTC",
      "0 12 * * *",
      "America/New_York",
      "2026-03-07T12:00:00Z",
      ["2026-03-07T17:00:00Z", "2026-03-08T16:00:00Z"],
    ],
    [
      "Lord Howe goes forward by half an hour",
      "15 2 * * *",
      "Australia/Lord_Howe",
      "2026-10-02T18:00:00Z",
      ["2026-10-04T15:15:00Z"],
    ],
    [
      "Cairo skips midnight itself",
      "0 0 * * *",
      "Africa/Cairo",
      "2026-04-22T12:00:00Z",
      ["2026-04-22T22:00:00Z", "2026-04-24T21:00:00Z"],
    ],
    [
      "Cairo: a day without midnight still has its morning",
      "0 5 24 4 *",
      "Africa/Cairo",
      "2026-01-01T00:00:00Z",
      ["2026-04-24T02:00:00Z"],
    ],
    [
      "Havana goes back to midnight",
      "0 0 * * *",
      "America/Havana",
      "2026-10-31T12:00:00Z",
      ["2026-11-01T04:00:00Z", "2026-11-01T05:00:00Z", "2026-11-02T05:00:00Z"],
    ],
    [
      "the year after is not taken for the hour after",
      "30 2 25 10 *",
      "Europe/Berlin",
      "2026-10-25T00:30:00Z",
      ["2026-10-25T01:30:00Z", "2027-10-25T00:30:00Z"],
    ],
    [
      "Apia had no 30th of December in 2011",
      "0 12 * * *",
      "Pacific/Apia",
      "2011-12-29T00:00:00Z",
      ["2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z"],
    ],
  ])("%s", (_name, schedule, zone, after, want) => {
    expect(times(schedule, zone, after, Math.max(1, want.length))).toEqual(want);
  });

  it.each(["Europe/London", "Australia/Lord_Howe", "Africa/Casablanca", "America/Santiago", "Asia/Beirut"])(
    "finds in %s just the minutes whose wall clock matches",
    (zone) => {
      const [fromMs, toMs] = [Date.parse("2026-01-01T00:00:00Z"), Date.parse("2027-01-01T00:00:00Z")];
      const want: string[] = [];
      for (let atMs = fromMs + 1_800_000; atMs < toMs; atMs += 1_800_000) {
        const wall = new Date(atMs + offsetMsAt(zone, atMs));
        if (wall.getUTCMinutes() % 30 === 0 && [0, 1, 2, 23].includes(wall.getUTCHours()))
          want.push(new Date(atMs).toISOString());
      }
      const schedule = parseSchedule("0,30 0-2,23 * * *");
      const got: string[] = [];
      for (
        let atMs = nextTime(schedule, zone, fromMs);
        atMs !== undefined && atMs < toMs;
        atMs = nextTime(schedule, zone, atMs)
      )
        got.push(new Date(atMs).toISOString());
      expect(got).toEqual(want);
    },
  );

  it("refuses a zone that does not exist", () => {
    expect(() => nextTime(parseSchedule("* * * * *"), "Mars/Base", 0)).toThrow(RangeError);
  });
});
