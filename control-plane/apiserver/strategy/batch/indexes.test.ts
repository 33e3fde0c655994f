import { expect, test } from "vitest";
import { countIndexes, firstOverlap, parseIndexes } from "./indexes.ts";

test.each([
  { text: "", count: 0 },
  { text: "1,3-5", count: 4 },
  { text: "5", error: 'too large index: "9"', given: "9" },
  { text: "2-1", error: "non-increasing order, previous: 2, current: 1" },
  { text: "1,1", error: "non-increasing order, previous: 1, current: 1" },
  { text: "a", error: 'cannot convert string to integer for index: "a"' },
])("$text", ({ text, given = text, count, error }) => {
  const parsed = parseIndexes(given, 6);
  expect(parsed.error).toBe(error);
  if (count !== undefined) expect(countIndexes(parsed.intervals)).toBe(count);
});

test("what two lists share", () => {
  expect(firstOverlap([[0, 2]], [[2, 4]])).toBe(2);
  expect(firstOverlap([[0, 1]], [[2, 4]])).toBeUndefined();
});
