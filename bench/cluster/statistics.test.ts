import { expect, it } from "vitest";
import { percentile } from "./statistics.ts";

it.each([
  [[5], 0.5, 5],
  [[3, 1, 2], 0.5, 2],
  [[1, 2, 3, 4], 0.5, 2],
  [Array.from({ length: 100 }, (_, i) => i + 1), 0.99, 99],
  [[1, 2], 0, 1],
])("%j at %f: %d", (samples, share, want) => expect(percentile(samples, share)).toBe(want));

it("has nothing to say without samples", () => expect(() => percentile([], 0.5)).toThrow(RangeError));
