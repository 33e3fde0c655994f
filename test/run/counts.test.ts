import { expect, it } from "vitest";
import { parseCounts, renderCounts } from "./counts.ts";
import { judgeScenarios, parseDiffering } from "./known-differences.ts";
import { countTests } from "./vitest.ts";

it("closes with the line that continuous integration reads", () => {
  expect(renderCounts({ passed: 12, failed: 0 })).toBe("12 passed, 0 failed");
});

it("reads a closing line back, and nothing else", () => {
  const counts = { passed: 12, failed: 3 };
  expect(parseCounts(renderCounts(counts))).toEqual(counts);
  for (const line of ["", "node 12 passed, 3 failed", "12 passed, 3 failed (4 s)"])
    expect(parseCounts(line)).toBeUndefined();
});

it.each([
  {
    name: "a good run",
    report: { numPassedTests: 3, numFailedTests: 0 },
    succeeded: true,
    want: { passed: 3, failed: 0 },
  },
  {
    name: "failed tests",
    report: { numPassedTests: 3, numFailedTests: 2 },
    succeeded: false,
    want: { passed: 3, failed: 2 },
  },
  {
    name: "a file that did not load",
    report: { numPassedTests: 3, numFailedTests: 0 },
    succeeded: false,
    want: { passed: 3, failed: 1 },
  },
  { name: "no report at all", report: undefined, succeeded: false, want: { passed: 0, failed: 1 } },
])("counts $name", ({ report, succeeded, want }) => expect(countTests(report, succeeded)).toEqual(want));

it("reads which scenarios differ", () => {
  expect(parseDiffering("✗ read-001-list lists\n    .0.code: want 200\n✗ read-002 two\n1 passed, 2 failed\n")).toEqual(
    new Set(["read-001-list", "read-002"]),
  );
});

it("fails for an unlisted difference and for a listed one that is gone", () => {
  const verdict = judgeScenarios(["a", "b", "c", "d"], new Set(["b", "c"]), { c: "ours is stricter", d: "was so" });
  expect(verdict).toEqual({ agreeing: 2, unexpected: ["b"], outdated: ["d"], counts: { passed: 2, failed: 2 } });
});
