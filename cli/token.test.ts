import { describe, expect, it } from "vitest";
import { parseDurationSeconds } from "./token.ts";

describe("parseDurationSeconds", () => {
  it.each([
    ["90s", 90],
    ["30m", 1800],
    ["24h", 86_400],
    ["7d", 604_800],
    ["1h30m", 5400],
  ])("%s", (text, want) => expect(parseDurationSeconds(text)).toBe(want));

  it.each(["", "0s", "24", "h", "1w", "-1h", "1h 30m", "1.5h"])("refuses %j", (text) => {
    expect(() => parseDurationSeconds(text)).toThrow("is not a duration");
  });
});
