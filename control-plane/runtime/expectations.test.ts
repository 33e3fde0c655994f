import { describe, expect, it } from "vitest";
import { EXPECTATIONS_TIMEOUT_MS, Expectations } from "./expectations.ts";

describe("Expectations", () => {
  it("are met when as many creations were seen", () => {
    const expectations = new Expectations({ nowMs: () => 0 });
    expect(expectations.areSatisfied("rs")).toBe(true);
    expectations.expectCreations("rs", 2);
    expectations.creationObserved("rs");
    expect(expectations.areSatisfied("rs")).toBe(false);
    expectations.creationObserved("rs");
    expectations.creationObserved("rs");
    expect(expectations.areSatisfied("rs")).toBe(true);
  });

  it("are met when these very deletions were seen", () => {
    const expectations = new Expectations({ nowMs: () => 0 });
    expectations.expectDeletions("rs", ["a", "b"]);
    for (const key of ["a", "a", "c"]) expectations.deletionObserved("rs", key);
    expect(expectations.areSatisfied("rs")).toBe(false);
    expectations.deletionObserved("rs", "b");
    expect(expectations.areSatisfied("rs")).toBe(true);
  });

  it("are given up after five minutes, and forgotten with the object", () => {
    let nowMs = 0;
    const expectations = new Expectations({ nowMs: () => nowMs });
    expectations.expectCreations("rs", 1);
    nowMs = EXPECTATIONS_TIMEOUT_MS + 1;
    expect(expectations.areSatisfied("rs")).toBe(true);
    nowMs = 0;
    expectations.forget("rs");
    expect(expectations.areSatisfied("rs")).toBe(true);
  });
});
