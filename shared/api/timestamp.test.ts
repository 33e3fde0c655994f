import { describe, expect, it } from "vitest";
import { canonicalMicroTime, canonicalTime } from "./timestamp.ts";

const SECONDS = "2006-01-02T15:04:05Z07:00";

describe("canonicalTime", () => {
  it.each([
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"],
    ["2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05Z"],
    ["2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"],
    ["2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
    ["0099-01-01T00:00:00Z", "0099-01-01T00:00:00Z"],
    ["0001-01-01T00:00:00Z", undefined],
  ])("%s → %s", (text, want) => expect(canonicalTime(text)).toBe(want));

  it.each([
    ["yesterday", `parsing time "yesterday" as "${SECONDS}": cannot parse "yesterday" as "2006"`],
    ["", `parsing time "" as "${SECONDS}": cannot parse "" as "2006"`],
    ["2026-01-02", `parsing time "2026-01-02" as "${SECONDS}": cannot parse "" as "T"`],
    ["2026-01-02 03:04:05Z", `parsing time "2026-01-02 03:04:05Z" as "${SECONDS}": cannot parse " 03:04:05Z" as "T"`],
    ["2026-01-02T03:04:05", `parsing time "2026-01-02T03:04:05" as "${SECONDS}": cannot parse "" as "Z07:00"`],
    ["2026-13-02T03:04:05Z", 'parsing time "2026-13-02T03:04:05Z": month out of range'],
    ["2026-02-29T03:04:05Z", 'parsing time "2026-02-29T03:04:05Z": day out of range'],
    ["2026-01-02T24:04:05Z", 'parsing time "2026-01-02T24:04:05Z": hour out of range'],
    ["2026-01-02T03:04:05Zx", 'parsing time "2026-01-02T03:04:05Zx": extra text: "x"'],
  ])("refuses '%s'", (text, want) => expect(() => canonicalTime(text)).toThrow(new RangeError(want)));
});

describe("canonicalMicroTime", () => {
  it.each([
    ["2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05.123456Z"],
    ["2026-01-02T03:04:05.123456+01:00", "2026-01-02T02:04:05.123456Z"],
    ["0001-01-01T00:00:00.000000Z", undefined],
  ])("%s → %s", (text, want) => expect(canonicalMicroTime(text)).toBe(want));

  it.each([
    ["2026-01-02T03:04:05Z", "Z"],
    ["2026-01-02T03:04:05", ""],
    ["2026-01-02T03:04:05.123Z", ".123Z"],
  ])("wants six digits: %s", (text, rest) => {
    const layout = "2006-01-02T15:04:05.000000Z07:00";
    const want = `parsing time "${text}" as "${layout}": cannot parse "${rest}" as ".000000"`;
    expect(() => canonicalMicroTime(text)).toThrow(new RangeError(want));
  });
});
