import { describe, expect, it } from "vitest";
import { createBackoff } from "./backoff.ts";

describe("createBackoff", () => {
  it("first crash at once, then 10, 20, 40, 80, 160 and 300 s (RST-01)", () => {
    const backoff = createBackoff();
    const pauses: number[] = [];
    let nowMs = 0;
    for (let crash = 0; crash < 8; crash += 1) {
      const crashedMs = nowMs;
      let waitedMs = 0;
      while (backoff.isWaiting("k", crashedMs, crashedMs + waitedMs)) waitedMs += 1_000;
      pauses.push(waitedMs / 1000);
      nowMs = crashedMs + waitedMs;
      backoff.next("k", crashedMs, nowMs);
    }
    expect(pauses).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it("starts afresh when ten minutes went by from the restart to the crash (RST-02)", () => {
    const backoff = createBackoff();
    backoff.next("k", 0, 0);
    backoff.next("k", 10_000, 10_000);
    expect(backoff.pauseMs("k")).toBe(20_000);
    const later = 10_000 + 600_001;
    expect(backoff.isWaiting("k", later, later)).toBe(false);
    backoff.next("k", later, later);
    expect(backoff.pauseMs("k")).toBe(10_000);
  });

  it("never pauses for longer than the ceiling, at the first time neither (RST-03)", () => {
    const backoff = createBackoff({ maxMs: 4_000 });
    for (let crash = 0; crash < 3; crash += 1) {
      backoff.next("k", crash, crash);
      expect(backoff.pauseMs("k")).toBe(4_000);
    }
  });

  it("counts what is left from the last lengthening", () => {
    const backoff = createBackoff();
    expect(backoff.waitMs("k", 0)).toBe(0);
    backoff.next("k", 0, 0);
    expect(backoff.waitMs("k", 4_000)).toBe(6_000);
    expect(backoff.waitMs("k", 10_000)).toBe(0);
  });

  it("makes nobody wait longer because the clock was put back", () => {
    const backoff = createBackoff();
    backoff.next("k", 7_200_000, 7_200_000);
    expect(backoff.isWaiting("k", 7_200_000, 0)).toBe(false);
    expect(backoff.waitMs("k", 0)).toBe(0);
    expect(backoff.waitMs("k", 7_195_000)).toBe(10_000);
  });

  it("forgets the keys of a pod and no others", () => {
    const backoff = createBackoff();
    for (const key of ["u1_a", "u1_b", "u2_a"]) backoff.next(key, 0, 0);
    backoff.forget("u1_");
    expect(["u1_a", "u1_b", "u2_a"].map((key) => backoff.pauseMs(key))).toEqual([0, 0, 10_000]);
  });
});
