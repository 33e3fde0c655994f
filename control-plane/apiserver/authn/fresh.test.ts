import { expect, it } from "vitest";
import { isFresh } from "./fresh.ts";

it.each([
  { name: "until its time", untilMs: 1_000, nowMs: 999, want: true },
  { name: "not at its time", untilMs: 1_000, nowMs: 1_000, want: false },
  { name: "not from before the clock was set back", untilMs: 3_600_000, nowMs: 0, want: false },
])("remembers an answer $name", ({ untilMs, nowMs, want }) => expect(isFresh({ untilMs }, 5_000, nowMs)).toBe(want));
