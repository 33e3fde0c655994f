import { expect, test } from "vitest";
import { checkCel } from "./cel-plausibility.ts";

const roots = ["object", "oldObject", "request", "authorizer"];

test.each([
  'has(object.spec) && authorizer.group("apps").resource("deployments").check("get").allowed()',
  "object.spec.containers.all(c, c.image.startsWith('a/') || c.name in ['b', \"c\"])",
  "object.metadata.labels.exists(key, value, key == 'a' && value != 'b')",
  'Object{metadata: Object.metadata{labels: {"a": "b"}}}',
  '[JSONPatch{op: "add", path: "/metadata/labels/a", value: string(object.x ? 1 : 2)}]',
  "object.?spec.orValue({}) == optional.none()",
  "cel.bind(x, object.spec, x.y > 1.5e3) // why not",
  'r"\\d+".matches("""a"b""") ? true : !false',
  "object.spec.`dashed-name` == null",
  "duration('1h') > timestamp(request.time) - timestamp('2026-01-01T00:00:00Z')",
])("may be right: %s", (expression) => {
  expect(checkCel(expression, "f", { roots })).toEqual([]);
});

const expecting =
  "expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

test.each([
  { expression: "object.x ==", failure: `1:12: Syntax error: mismatched input '<EOF>' ${expecting}` },
  { expression: "object.spec.", failure: "1:13: Syntax error: no viable alternative at input '.'" },
  { expression: "nothere == 1", failure: "1:1: undeclared reference to 'nothere' (in container '')" },
  { expression: "(object.x", failure: "1:10: Syntax error: missing closing bracket at '<EOF>'" },
  { expression: "object.x]", failure: "1:9: Syntax error: extraneous input ']' expecting <EOF>" },
  { expression: 'object.x == "a', failure: "1:13: Syntax error: token recognition error at: '\"'" },
  { expression: "true &&\n  gone", failure: "2:3: undeclared reference to 'gone' (in container '')" },
])("cannot be right: $expression", ({ expression, failure }) => {
  const [cause] = checkCel(expression, "f", { roots });
  expect(cause?.message).toContain(`compilation failed: ERROR: <input>:${failure}\n | `);
});

test.each([
  { literal: "1", type: "int" },
  { literal: "-1.5", type: "double" },
  { literal: "1u", type: "uint" },
  { literal: '"x"', type: "string" },
  { literal: "b'x'", type: "bytes" },
  { literal: "null", type: "null_type" },
])("$literal is a literal of type $type", ({ literal, type }) => {
  const wanted = { types: ["bool"], message: (got: string) => `not ${got}` };
  expect(checkCel(literal, "f", { roots, wanted })[0]?.message).toMatch(`: not ${type}`);
});
