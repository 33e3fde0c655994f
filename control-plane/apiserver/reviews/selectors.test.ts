import { expect, test } from "vitest";
import { checkSelectors, printIgnored, type SelectorAttributes } from "./selectors.ts";

const BOTH = "may not specified at the same time as requirements";

test.each<{ name: string; fieldSelector?: SelectorAttributes; labelSelector?: SelectorAttributes; causes: string[] }>([
  { name: "none", causes: [] },
  { name: "text", fieldSelector: { rawSelector: "a=b" }, labelSelector: { rawSelector: "not one!" }, causes: [] },
  {
    name: "empty ones",
    fieldSelector: {},
    labelSelector: { requirements: [] },
    causes: [
      "r.fieldSelector.requirements: Required value: when r.fieldSelector is specified, requirements or rawSelector is required",
      "r.labelSelector.requirements: Required value: when r.labelSelector is specified, requirements or rawSelector is required",
    ],
  },
  {
    name: "text and requirements",
    fieldSelector: { rawSelector: "a=b", requirements: [{ key: "a", operator: "Odd" }] },
    causes: [`r.fieldSelector.rawSelector: Invalid value: "a=b": ${BOTH}`],
  },
  {
    name: "requirements without a key, without values, with too many",
    fieldSelector: { requirements: [{ operator: "In" }, { key: "a", operator: "Exists", values: ["x"] }] },
    causes: [
      "r.fieldSelector.requirements[0].key: Required value: must be specified",
      "r.fieldSelector.requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "r.fieldSelector.requirements[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  },
])("selectors of a question: $name", ({ fieldSelector, labelSelector, causes }) => {
  const found = checkSelectors({ fieldSelector, labelSelector }, "r");
  expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual(causes);
});

test("labels are checked, fields are not", () => {
  const selector = { requirements: [{ key: "a b", operator: "In", values: ["c d"] }] };
  expect(checkSelectors({ fieldSelector: selector }, "r")).toEqual([]);
  const fields = checkSelectors({ labelSelector: selector }, "r").map(({ field }) => field);
  expect(fields).toEqual(["r.labelSelector.requirements[0].key", "r.labelSelector.requirements[0].values[0]"]);
});

test.each<{ name: string; fieldSelector?: SelectorAttributes; labelSelector?: SelectorAttributes; want: string }>([
  { name: "nothing", fieldSelector: { rawSelector: "a=b" }, want: "" },
  {
    name: "text that is no selector",
    labelSelector: { rawSelector: "a b" },
    want: "spec.resourceAttributes.labelSelector ignored due to parse error",
  },
  {
    name: "some of the requirements",
    fieldSelector: {
      requirements: [
        { key: "a", operator: "In", values: ["b"] },
        { key: "a", operator: "Exists" },
      ],
    },
    want: "spec.resourceAttributes.fieldSelector partially ignored due to parse error",
  },
  {
    name: "all of two selectors",
    fieldSelector: { requirements: [{ key: "a", operator: "In", values: ["b", "c"] }] },
    labelSelector: { requirements: [{ key: "a", operator: "Odd" }] },
    want: "spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error",
  },
])("what is left out: $name", ({ fieldSelector, labelSelector, want }) =>
  expect(printIgnored({ fieldSelector, labelSelector })).toBe(want),
);
