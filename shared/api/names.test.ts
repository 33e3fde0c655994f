import { expect, test } from "vitest";
import * as names from "./names.ts";

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

test.each([
  {
    check: names.checkDns1123Label,
    good: ["a", "a-1", "0"],
    bad: { A: [LABEL], "a-": [LABEL], "a.b": ["must not contain dots"] },
  },
  { check: names.checkDns1123Subdomain, good: ["a", "a.b-c.d", "x".repeat(63)], bad: {} },
  { check: names.checkDns1035Label, good: ["a", "a-1"], bad: {} },
  { check: names.checkQualifiedName, good: ["a", "A.b_c", "a.test/B"], bad: {} },
  { check: names.checkLabelValue, good: ["", "a", "A_b.c"], bad: {} },
  {
    check: names.checkPathSegment,
    good: ["a", "system:node"],
    bad: { ".": ["may not be '.'"], "a/b": ["may not contain '/'"] },
  },
  { check: names.checkPortName, good: ["http", "a-1"], bad: {} },
  { check: names.checkConfigMapKey, good: ["a", ".b", "A_b.c-d"], bad: {} },
])("$check.name", ({ check, good, bad }) => {
  for (const name of good) expect(check(name), name).toEqual([]);
  for (const [name, messages] of Object.entries(bad)) expect(check(name), name).toEqual(messages);
});

test.each([
  { check: names.checkDns1123Label, bad: ["", "-a", "a_b", "x".repeat(64)] },
  { check: names.checkDns1123Subdomain, bad: ["", ".a", "a..b", "A", "x".repeat(254)] },
  { check: names.checkDns1035Label, bad: ["1a", "", "a-"] },
  { check: names.checkQualifiedName, bad: ["", "/a", "a/b/c", "a b", "_a"] },
  { check: names.checkLabelValue, bad: ["-a", "a b", "x".repeat(64)] },
  { check: names.checkPortName, bad: ["", "1", "A", "a--b", "x".repeat(16)] },
  { check: names.checkConfigMapKey, bad: ["", ".", "..", "..a", "a b"] },
  { check: names.checkEnvVarName, bad: ["", "1a", "a b"] },
])("$check.name refuses", ({ check, bad }) => {
  for (const name of bad) expect(check(name).length, JSON.stringify(name)).toBeGreaterThan(0);
});

test("a prefix for generated names may end with a dash", () => {
  expect(names.nameIsLabel("web-", true)).toEqual([]);
  expect(names.nameIsLabel("web-", false)).not.toEqual([]);
});
