import { expect, it } from "vitest";
import { resyncDelayMs } from "./controller-runner.ts";

it.each([
  { failures: 1, want: 200 },
  { failures: 8, want: 640 },
  { failures: 30, want: 30_000 },
])("tries to fill the caches again $want ms after $failures failures", ({ failures, want }) =>
  expect(resyncDelayMs(failures)).toBe(want),
);
