import { expect, it } from "vitest";
import type { SuccessPolicyRule } from "../../../shared/api/types.ts";
import { parseIndexSet } from "./index-set.ts";
import { metSuccessRule } from "./success-policy.ts";

it.each<{ name: string; rules?: SuccessPolicyRule[]; succeeded: string; met?: number }>([
  { name: "no policy", succeeded: "0-8" },
  { name: "nothing succeeded yet", rules: [{ succeededCount: 0 }], succeeded: "" },
  { name: "enough of them", rules: [{ succeededCount: 3 }], succeeded: "0,4,7", met: 0 },
  { name: "one too few", rules: [{ succeededCount: 3 }], succeeded: "4,7" },
  { name: "all that are named", rules: [{ succeededIndexes: "1-2,5" }], succeeded: "0-3,5", met: 0 },
  { name: "not all that are named", rules: [{ succeededIndexes: "1-2,5" }], succeeded: "0-4" },
  {
    name: "enough of those named",
    rules: [{ succeededIndexes: "1-5", succeededCount: 2 }],
    succeeded: "5,8,2",
    met: 0,
  },
  { name: "others do not count", rules: [{ succeededIndexes: "1-5", succeededCount: 2 }], succeeded: "5-8" },
  {
    name: "the first rule that is met",
    rules: [{ succeededIndexes: "8" }, { succeededCount: 1 }],
    succeeded: "3",
    met: 1,
  },
  { name: "no rule of indexes that the Job lacks", rules: [{ succeededIndexes: "12-14" }], succeeded: "0" },
])("$name", ({ rules, succeeded, met }) => {
  const set = parseIndexSet(succeeded.split(",").sort().join(","), 9);
  expect(metSuccessRule(rules && { rules }, set, 9)).toBe(
    met === undefined ? undefined : `Matched rules at index ${met}`,
  );
});
