import { describe, expect, it } from "vitest";
import { explainDuplicateKeys, parseYaml, renderYaml } from "./index.ts";

const LONG = "word ".repeat(20).trim();

// What kubectl, and so go-yaml, prints for the same value.
describe("a value is written", () => {
  it.each<{ name: string; value: unknown; want: string }>([
    { name: "plain text", value: "a/b:c#d", want: "a/b:c#d" },
    { name: "text that says yes", value: "yes", want: '"yes"' },
    { name: "text that says null", value: "~", want: '"~"' },
    { name: "nothing", value: "", want: '""' },
    { name: "a number as text", value: "1_000", want: '"1_000"' },
    { name: "a version", value: "1.2.3", want: "1.2.3" },
    { name: "a hash that looks like a number too large", value: "12e4567", want: "12e4567" },
    { name: "a date", value: "2024-01-02T03:04:05Z", want: '"2024-01-02T03:04:05Z"' },
    { name: "a time of day", value: "12:30", want: '"12:30"' },
    { name: "an indicator", value: "*x", want: "'*x'" },
    { name: "a colon and a space", value: "it's: so", want: "'it''s: so'" },
    { name: "a comment", value: "a #b", want: "'a #b'" },
    { name: "spaces around", value: " a ", want: "' a '" },
    { name: "a tab", value: 'a\t"b"\\', want: '"a\\t\\"b\\"\\\\"' },
    { name: "a picture", value: "🧪", want: '"\\U0001F9EA"' },
    { name: "letters of any language", value: "größer 日本", want: "größer 日本" },
    { name: "lines", value: "x\n\n  y\n", want: "|\n  x\n\n    y" },
    { name: "lines without an end", value: "x\ny", want: "|-\n  x\n  y" },
    { name: "lines with more than an end", value: "x\n\n", want: "|+\n  x\n" },
    { name: "lines that begin with spaces", value: "  x\ny\n", want: "|2\n    x\n  y" },
    { name: "lines that end in spaces", value: "x \ny", want: '"x \\ny"' },
    {
      name: "a long text",
      value: LONG,
      want: `${"word ".repeat(16).trim()}\n  word word word word`,
    },
    {
      name: "a long text in quotes",
      value: `a: ${LONG}`,
      want: `'a: ${"word ".repeat(15).trim()}\n  word word word word word'`,
    },
    { name: "an empty mapping", value: {}, want: "{}" },
    { name: "an empty list", value: [], want: "[]" },
    { name: "null", value: null, want: "null" },
    { name: "a number", value: 1.5, want: "1.5" },
    { name: "a boolean", value: true, want: "true" },
  ])("$name", ({ value, want }) => {
    expect(renderYaml({ k: value })).toBe(`k: ${want}\n`);
    expect(parseYaml(renderYaml({ k: value }))).toEqual({ k: value });
  });

  it("with keys in order, and lists as far out as their key", () => {
    const value = { b: [{ y: 1, x: [["a"], "b\n"] }, "c"], a: { "10": "", "9": undefined, ".": {}, true: 2 } };
    expect(renderYaml(value)).toBe(`a:
  .: {}
  "10": ""
  "true": 2
b:
- x:
  - - a
  - |
    b
  "y": 1
- c
`);
  });

  it("with a mark before a key that is long", () => {
    const key = `${"a".repeat(121)}.b/c.d.e`;
    expect(renderYaml({ m: { [key]: "v" } })).toBe(`m:\n  ? ${key}\n  : v\n`);
  });
});

describe("what follows the first document", () => {
  it.each([
    { name: "a marker", text: "a: 1\n---\nb: 2\n" },
    { name: "a marker and what is no YAML", text: "a: 1\n---\n}: [\n" },
    { name: "the end", text: "a: 1\n...\n: }" },
    { name: "another bracket", text: '{"a":1}{"b":2}' },
    { name: "a closing bracket", text: '{"a":1}}' },
  ])("is not looked at: $name", ({ text }) => expect(parseYaml(text)).toEqual({ a: 1 }));

  it.each(["{a: 1", "a: 1\n}", "a: 1\n b: 2\nc", "[1, 2", "a: [1}"])("does not excuse %j", (text) =>
    expect(() => parseYaml(text)).toThrow(),
  );
});

describe("a key that comes twice", () => {
  it("counts as it was set last", () => expect(parseYaml("a: 1\nb: 2\na: 3")).toEqual({ a: 3, b: 2 }));

  it.each<{ name: string; text: string; want: string | undefined }>([
    { name: "none", text: "a: 1\nb: {a: 1}\nc: [{a: 1}, {a: 2}]", want: undefined },
    { name: "at the root", text: "a: 1\na: 2", want: 'line 2: key "a" already set in map' },
    { name: "deeper", text: "a:\n  b: 1\n  c: 2\n  b:\n    d: 3", want: 'line 5: key "b" already set in map' },
    { name: "in a list", text: "a:\n- {b: 1, b: 2}", want: 'line 2: key "b" already set in map' },
    {
      name: "several",
      text: "a: 1\nb: 2\na: 3\nb: 4\na: 5",
      want: 'line 3: key "a" already set in map\n  line 4: key "b" already set in map\n  line 5: key "a" already set in map',
    },
  ])("is told of: $name", ({ text, want }) =>
    expect(explainDuplicateKeys(text)).toBe(want && `yaml: unmarshal errors:\n  ${want}`),
  );
});

/** Each took our parser from seconds to minutes. */
describe("a text of no use is refused at once", () => {
  const deep = "exceeded max depth of 10000";
  it.each([
    { name: "maps", text: '{"a":'.repeat(20_000), want: deep },
    { name: "lists", text: "[".repeat(50_000), want: deep },
    { name: "list items", text: "- ".repeat(20_000), want: deep },
    { name: "maps that are closed", text: `${'{"a":'.repeat(600)}1${"}".repeat(600)}`, want: deep },
    { name: "keys of keys", text: `${"? ".repeat(490)}1`, want: "invalid map key" },
    { name: "a list as a key", text: "{[a]: b}", want: "invalid map key" },
  ])("$name", { timeout: 10_000 }, ({ text, want }) => expect(() => parseYaml(text)).toThrow(want));

  it.each([
    { name: "depth", text: `${"- ".repeat(400)}1` },
    { name: "a set", text: "? a\n? b" },
    { name: "merged maps", text: "a: &x {b: 1}\nc:\n  <<: *x" },
  ])("but not $name", ({ text }) => expect(() => parseYaml(text)).not.toThrow());
});
