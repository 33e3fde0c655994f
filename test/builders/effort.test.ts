import { expect, it } from "vitest";
import { effortFromEnvironment, rolls } from "./effort.ts";

const NOW_MS = 1_764_453_600_123;
const USUAL = { seed: 7, times: 10 };

it.each([
  { name: "a quick run repeats itself", env: {}, want: { seed: 7, times: 10 } },
  { name: "a quick run with a given seed", env: { HEARTH_SEED: "3" }, want: { seed: 3, times: 10 } },
  {
    name: "a nightly run draws its seed from the clock",
    env: { HEARTH_NIGHTLY: "1" },
    want: { seed: 1_764_453_600, times: 200 },
  },
  { name: "a nightly run repeated", env: { HEARTH_NIGHTLY: "1", HEARTH_SEED: "3" }, want: { seed: 3, times: 200 } },
  { name: "a seed that is none", env: { HEARTH_SEED: "x" }, want: { seed: 7, times: 10 } },
])("$name", ({ env, want }) => expect(rolls(effortFromEnvironment(env, NOW_MS), USUAL)).toEqual(want));

it("a test may say how much a night is", () =>
  expect(rolls({ isNightly: true, seed: 3 }, { ...USUAL, nightlyTimes: 11 })).toEqual({ seed: 3, times: 11 }));
