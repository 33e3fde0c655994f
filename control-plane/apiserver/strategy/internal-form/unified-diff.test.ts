import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

const lines = (text: string) => text.split("");
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}`);

test.each([
  { name: "nothing differs", before: "abc", after: "abc", want: "" },
  { name: "a changed line", before: "abc", after: "axc", want: "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n" },
  { name: "all removed", before: "a", after: "", want: "@@ -1 +0,0 @@\n-a\n" },
  {
    name: "near changes in one hunk",
    before: "abcd",
    after: "xbcy",
    want: "@@ -1,4 +1,4 @@\n-a\n+x\n b\n c\n-d\n+y\n",
  },
  {
    name: "far changes in two hunks",
    before: "a1234567b",
    after: "x1234567y",
    want: "@@ -1,4 +1,4 @@\n-a\n+x\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+y\n",
  },
  {
    name: "the longest shared run counts",
    before: "abxcd",
    after: "abcd",
    want: "@@ -1,5 +1,4 @@\n a\n b\n-x\n c\n d\n",
  },
])("$name", ({ before, after, want }) => expect(unifiedDiff(lines(before), lines(after))).toBe(want));

test("lines that are everywhere do not begin a match in a long text", () => {
  const before = numbered(250).flatMap((line) => [line, "}"]);
  const after = ["}", "new", "}", ...before.slice(1)];
  expect(unifiedDiff(before, after)).toContain("-line 0\n+}\n+new\n");
});

test("a very long text is compared at its ends alone", () => {
  const before = numbered(5000);
  const after = before.with(1, "x").with(4998, "y");
  expect(unifiedDiff(before, after).split("\n")[0]).toBe("@@ -1,5000 +1,5000 @@");
});
