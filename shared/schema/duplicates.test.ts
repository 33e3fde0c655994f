import { describe, expect, it } from "vitest";
import { duplicateFields, keepRepeatedKeys } from "./duplicates.ts";

describe("duplicateFields", () => {
  it.each([
    { name: "none", text: '{"a":{"b":1},"c":[{"b":1},{"b":2}]}', want: [] },
    { name: "at the top", text: '{"a":1,"a":2}', want: ["a"] },
    { name: "in an object", text: '{"metadata":{"name":"c","name":"c"}}', want: ["metadata.name"] },
    { name: "in a list's item", text: '{"s":{"c":[{"n":1},{"n":1,"n":2}]}}', want: ["s.c[1].n"] },
    { name: "each once", text: '{"a":1,"a":2,"a":3}', want: ["a"] },
    {
      name: "in the text's order",
      text: '{"metadata":{"name":"c","name":"c"},"data":{"a":"1","a":"2"},"data":{"b":"3"}}',
      want: ["metadata.name", "data.a", "data"],
    },
    { name: "spelt in two ways", text: '{"a":1,"\\u0061":2}', want: ["a"] },
    { name: "not in strings", text: '{"a":"{\\"a\\":1,\\"a\\":2}","b":": \\\\"}', want: [] },
    { name: "behind strings that hold quotes", text: '{"x":"\\\\\\"","a":1,"a":2}', want: ["a"] },
    { name: "with spaces before the colon", text: `{"a"${" ".repeat(100)}:1,"a"\n:2}`, want: ["a"] },
    { name: "a proto key", text: '{"__proto__":1,"__proto__":2}', want: ["__proto__"] },
  ])("$name", ({ text, want }) => {
    expect(duplicateFields(text, JSON.parse(text))).toEqual(want.map((field) => `duplicate field "${field}"`));
  });

  it("survives deep nesting", () => {
    const text = `${"[".repeat(100_000)}{"a":1,"a":2}${"]".repeat(100_000)}`;
    expect(duplicateFields(text, JSON.parse(text))).toHaveLength(1);
  });

  it("prints no more of long paths than is of use", () => {
    const inner = Array.from({ length: 20_000 }, (_, i) => `"k${i}":1,"k${i}":2`).join(",");
    const text = `{"${"x".repeat(1_500_000)}":{${inner}}}`;
    expect(duplicateFields(text, JSON.parse(text))).toHaveLength(1);
    expect(Object.keys(keepRepeatedKeys(text, JSON.parse(text)) as object)).toHaveLength(1);
  });

  it("names no more than a hundred", () => {
    const text = `{${Array.from({ length: 200 }, (_, i) => `"k${i}":1,"k${i}":2`).join(",")}}`;
    expect(duplicateFields(text, JSON.parse(text))).toHaveLength(100);
  });
});
