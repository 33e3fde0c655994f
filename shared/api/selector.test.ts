import { describe, expect, it } from "vitest";
import {
  matchesFields,
  matchesLabelSelector,
  matchesRequirements,
  parseFieldSelector,
  parseLabelSelector,
  printLabelSelector,
  requirementsOf,
} from "./selector.ts";
import { ApiError } from "./status.ts";

/** The message of the 400 that a call throws. */
function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 400) return error.message;
    throw error;
  }
  throw new Error("expected a refusal");
}

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe("parseLabelSelector", () => {
  it.each([
    { text: "", want: [] },
    { text: "a=b", want: [{ key: "a", operator: "=", values: ["b"] }] },
    { text: "a==b", want: [{ key: "a", operator: "=", values: ["b"] }] },
    { text: "a!=b", want: [{ key: "a", operator: "!=", values: ["b"] }] },
    { text: "a=", want: [{ key: "a", operator: "=", values: [""] }] },
    { text: "a", want: [{ key: "a", operator: "exists", values: [] }] },
    { text: "! a", want: [{ key: "a", operator: "!", values: [] }] },
    { text: "n>5", want: [{ key: "n", operator: "gt", values: ["5"] }] },
    { text: "n < 5", want: [{ key: "n", operator: "lt", values: ["5"] }] },
    { text: "a in (y,x,y)", want: [{ key: "a", operator: "in", values: ["x", "y"] }] },
    { text: "a notin ()", want: [{ key: "a", operator: "notin", values: [""] }] },
    { text: "a in (b,)", want: [{ key: "a", operator: "in", values: ["", "b"] }] },
    { text: "a in (,)", want: [{ key: "a", operator: "in", values: [""] }] },
    { text: "a in (b,,c)", want: [{ key: "a", operator: "in", values: ["", "b", "c"] }] },
    { text: "in=notin", want: [{ key: "in", operator: "=", values: ["notin"] }] },
    {
      text: "b,a=1",
      want: [
        { key: "a", operator: "=", values: ["1"] },
        { key: "b", operator: "exists", values: [] },
      ],
    },
  ])("reads '$text'", ({ text, want }) => expect(parseLabelSelector(text)).toEqual(want));

  it.each([
    { text: "-a=b", want: `unable to parse requirement: <nil>: Invalid value: "-a": name part ${NAME_RULE}` },
    { text: "a=-b", want: `unable to parse requirement: values[0][a]: Invalid value: "-b": ${VALUE_RULE}` },
    {
      text: "a/b/c=d",
      want: `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key ${NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    },
    {
      text: "A.b/=c",
      want: `unable to parse requirement: <nil>: Invalid value: "A.b/": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'); name part must be non-empty; name part ${NAME_RULE}`,
    },
    {
      text: `a=${"a".repeat(64)}`,
      want: `unable to parse requirement: values[0][a]: Invalid value: "${"a".repeat(64)}": must be no more than 63 bytes`,
    },
    {
      text: "n>abc",
      want: `unable to parse requirement: values[0]: Invalid value: "abc": for 'Gt', 'Lt' operators, the value must be an integer`,
    },
    { text: "a b", want: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt" },
    { text: "a in b", want: "unable to parse requirement: found 'b' expected: '('" },
    { text: "a=b,", want: "found '', expected: identifier after ','" },
    { text: "a=b)", want: "found ')', expected: ',' or 'end of string'" },
    { text: "=a", want: "found '=', expected: !, identifier, or 'end of string'" },
    { text: "!", want: "unable to parse requirement: found '', expected: identifier" },
    { text: "a in (b", want: "unable to parse requirement: found '', expected: ',' or ')'" },
    { text: "a==!", want: "unable to parse requirement: found '!', expected: identifier" },
  ])("refuses '$text'", ({ text, want }) => expect(refusal(() => parseLabelSelector(text))).toBe(want));

  it("prints what it reads", () => {
    const text = "!d,a=b,c in (x,y),e>3";
    expect(printLabelSelector(parseLabelSelector("c in (y,x),a=b,!d,e>3"))).toBe("a=b,c in (x,y),!d,e>3");
    expect(parseLabelSelector(text)).toEqual(parseLabelSelector(printLabelSelector(parseLabelSelector(text))));
  });
});

describe("matchesRequirements", () => {
  const labels = { env: "prod", empty: "", n: "10" };
  it.each([
    ["env=prod", true],
    ["env!=prod", false],
    ["missing!=x", true],
    ["missing notin (x)", true],
    ["missing=", false],
    ["empty=", true],
    ["env in (dev,prod)", true],
    ["env", true],
    ["!env", false],
    ["!missing", true],
    ["n>9", true],
    ["n>10", false],
    ["n<11", true],
    ["env>1", false],
    ["env=prod,n=11", false],
    ["constructor", false],
  ] as const)("%s: %s", (text, want) => expect(matchesRequirements(parseLabelSelector(text), labels)).toBe(want));
});

describe("label selector objects", () => {
  it.each([
    { name: "nothing there selects nothing", selector: undefined, want: false },
    { name: "an empty one selects everything", selector: {}, want: true },
    { name: "labels", selector: { matchLabels: { a: "1" } }, want: true },
    {
      name: "expressions",
      selector: {
        matchExpressions: [
          { key: "a", operator: "In", values: ["2", "1"] },
          { key: "b", operator: "DoesNotExist" },
        ],
      },
      want: true,
    },
    {
      name: "both must hold",
      selector: { matchLabels: { a: "1" }, matchExpressions: [{ key: "b", operator: "Exists" }] },
      want: false,
    },
  ])("$name", ({ selector, want }) => expect(matchesLabelSelector(selector, { a: "1" })).toBe(want));

  it.each([
    [{ matchExpressions: [{ key: "a", operator: "Like" }] }, '"Like" is not a valid label selector operator'],
    [
      { matchExpressions: [{ key: "a", operator: "In" }] },
      "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      { matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] },
      'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    ],
  ])("refuses %j", (selector, want) => expect(refusal(() => requirementsOf(selector))).toBe(want));
});

describe("parseFieldSelector", () => {
  it.each([
    ["metadata.name=a", [{ key: "metadata.name", operator: "=", values: ["a"] }]],
    ["metadata.name==a", [{ key: "metadata.name", operator: "=", values: ["a"] }]],
    ["metadata.name!=a", [{ key: "metadata.name", operator: "!=", values: ["a"] }]],
    [",", []],
    ["a=b\\,c\\=d\\\\", [{ key: "a", operator: "=", values: ["b,c=d\\"] }]],
  ] as const)("reads %s", (text, want) => expect(parseFieldSelector(text)).toEqual(want));

  it.each([
    ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ["a=b\\x", "invalid field selector: invalid escape sequence: \\x"],
    ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
  ])("refuses %s", (text, want) => expect(refusal(() => parseFieldSelector(text))).toBe(want));

  it("takes a field that is not set for the empty string", () => {
    expect(matchesFields(parseFieldSelector("spec.nodeName="), {})).toBe(true);
    expect(matchesFields(parseFieldSelector("spec.nodeName!="), { "spec.nodeName": "n1" })).toBe(true);
  });
});
