import { describe, expect, it } from "vitest";
import { pod } from "../../../test/builders/objects.ts";
import { type BackoffRecord, NO_FAILURES, remainingBackoffMs, withEnded } from "./backoff.ts";

const at = (second: number) => new Date(second * 1000).toISOString();
const ended = (second: number) => pod(`p${second}`).createdAt(at(second)).build();

describe("withEnded", () => {
  it.each<{ name: string; before?: BackoffRecord; succeeded?: number[]; failed?: number[]; want: BackoffRecord }>([
    { name: "nothing ended", before: { failures: 2, lastFailureMs: 1 }, want: { failures: 2, lastFailureMs: 1 } },
    {
      name: "failures add up; the last counts",
      before: { failures: 2, lastFailureMs: 1 },
      failed: [30, 40, 20],
      want: { failures: 5, lastFailureMs: 40_000 },
    },
    { name: "a success forgets", before: { failures: 2, lastFailureMs: 1 }, succeeded: [50], want: NO_FAILURES },
    {
      name: "failures after the last success stay",
      before: { failures: 2, lastFailureMs: 1 },
      succeeded: [10, 30],
      failed: [20, 40, 30],
      want: { failures: 1, lastFailureMs: 40_000 },
    },
  ])("$name", ({ before = NO_FAILURES, succeeded = [], failed = [], want }) => {
    expect(withEnded(before, succeeded.map(ended), failed.map(ended))).toEqual(want);
  });
});

describe("remainingBackoffMs", () => {
  it("JOB-02: doubles from 10 s to 10 minutes", () => {
    const delays = Array.from(
      { length: 10 },
      (_, i) => remainingBackoffMs({ failures: i, lastFailureMs: 0 }, 0) / 1000,
    );
    expect(delays).toEqual([0, 10, 20, 40, 80, 160, 320, 600, 600, 600]);
    expect(remainingBackoffMs({ failures: 2_000_000, lastFailureMs: 0 }, 0)).toBe(600_000);
  });

  it("counts from the last failure", () => {
    expect(remainingBackoffMs({ failures: 1, lastFailureMs: 1000 }, 4000)).toBe(7000);
    expect(remainingBackoffMs({ failures: 1, lastFailureMs: 1000 }, 60_000)).toBe(0);
  });
});
