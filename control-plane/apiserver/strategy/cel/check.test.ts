import { describe, expect, it, test } from "vitest";
import { checkCel } from "./check.ts";

const roots = ["object", "oldObject", "request", "authorizer", "namespaceObject"];
const wanted = { types: ["bool"], message: (got: string) => `must evaluate to bool but got ${got}` };

test.each([
  'has(object.spec) && authorizer.group("apps").resource("deployments").check("get").allowed()',
  "object.spec.containers.all(c, c.image.startsWith('a/') || c.name in ['b', \"c\"])",
  "object.metadata.labels.exists(key, value, key == 'a' && value != 'b')",
  "object.?spec.orValue({}) == optional.none()",
  "object.spec.x > 1.5e3 // why not",
  'r"\\d+".matches("""a"b""") ? true : !false',
  "duration('1h') > timestamp(object.x) - timestamp('2026-01-01T00:00:00Z')",
  "request.operation in ['CREATE', 'UPDATE'] && !request.dryRun && request.kind.kind == 'Pod'",
  "request.userInfo.groups.exists(g, g == 'a') && 'x' in request.userInfo.extra",
  "object.spec.list.filter(x, x > 1).map(x, x * 2).size() == 2 && [1, 2].sum() == 3",
  "object.spec.m.transformMap(k, v, v + 1).size() == 1 && object.spec.l.all(i, v, i >= 0 && v)",
  "quantity(object.q).isLessThan(quantity('1Gi')) && cidr('10.0.0.0/8').containsIP(object.ip)",
  "1 < 2.5 && 1u <= 2 && 'a' + string(1) == 'a1' && -(1) == -1 && [] == object.l && {} == object.m",
  "'%s'.format([object.a]) == 'x' && 'a,b'.split(',')[0] == 'a' && {'a': 1}['a'] == 1",
  "type(object.x) == int && object.x[?'a'].hasValue() && namespaceObject.metadata.labels['a'] == 'b'",
  "(object.a ? 1 : 2) == 1 && (object.b ? object.c : true) && null == object.d",
])("may be right: %s", (expression) => {
  expect(checkCel(expression, "f", { roots, wanted })).toEqual([]);
});

test.each([
  {
    name: "mutations make objects",
    expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}',
    more: ["Object"],
  },
  {
    name: "and patches",
    expression: '[JSONPatch{op: "add", path: "/" + jsonpatch.escapeKey("a"), value: string(object.x ? 1 : 2)}]',
    more: ["JSONPatch", "jsonpatch"],
  },
  {
    name: "selectors of devices bind",
    expression: "cel.bind(x, device.attributes['a'], x.y > 1)",
    more: ["device", "cel"],
  },
])("$name", ({ expression, more }) => {
  expect(checkCel(expression, "f", { roots: [...roots, ...more] })).toEqual([]);
  expect(checkCel(expression, "f", { roots })).not.toEqual([]);
});

const OPERAND =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const undeclared = (name: string) => `undeclared reference to '${name}' (in container '')`;
const noOverload = (name: string, args: string) => `found no matching overload for '${name}' applied to '${args}'`;

describe("cannot be right", () => {
  it.each([
    { expression: "object.x ==", at: "1:12", why: `Syntax error: mismatched input '<EOF>' expecting ${OPERAND}` },
    { expression: "&& true", at: "1:1", why: `Syntax error: extraneous input '&&' expecting ${OPERAND}` },
    { expression: "!", at: "1:2", why: `Syntax error: extraneous input '<EOF>' expecting ${OPERAND}` },
    { expression: "object.spec.", at: "1:13", why: "Syntax error: no viable alternative at input '.'" },
    { expression: "object..x", at: "1:8", why: "Syntax error: no viable alternative at input '..'" },
    { expression: "(object.x", at: "1:10", why: "Syntax error: missing ')' at '<EOF>'" },
    { expression: "[1, 2", at: "1:6", why: "Syntax error: mismatched input '<EOF>' expecting {']', ','}" },
    { expression: "[1, 2,", at: "1:7", why: "Syntax error: missing ']' at '<EOF>'" },
    { expression: "[1 2]", at: "1:4", why: "Syntax error: extraneous input '2' expecting {']', ','}" },
    { expression: "{'a'}", at: "1:5", why: "Syntax error: mismatched input '}' expecting ':'" },
    { expression: "true ? true", at: "1:12", why: "Syntax error: mismatched input '<EOF>' expecting ':'" },
    { expression: "object.x]", at: "1:9", why: "Syntax error: extraneous input ']' expecting <EOF>" },
    { expression: "object.a and object.b", at: "1:10", why: "Syntax error: mismatched input 'and' expecting <EOF>" },
    { expression: "a b", at: "1:3", why: "Syntax error: extraneous input 'b' expecting <EOF>" },
    { expression: "object.`a-b` == 1", at: "1:8", why: "unsupported syntax: '`'" },
    { expression: "nothere == 1", at: "1:1", why: undeclared("nothere") },
    { expression: "nothere(1)", at: "1:8", why: undeclared("nothere") },
    { expression: "object.nothere()", at: "1:15", why: undeclared("nothere") },
    { expression: "true &&\n  gone", at: "2:3", why: undeclared("gone") },
    { expression: "Object{}", at: "1:7", why: undeclared("Object") },
    { expression: "has(object)", at: "1:5", why: "invalid argument to has() macro" },
    { expression: "request.gone", at: "1:8", why: "undefined field 'gone'" },
    { expression: "request.userInfo.gone == 1", at: "1:17", why: "undefined field 'gone'" },
    { expression: "variables.b", at: "1:10", why: "undefined field 'b'" },
    { expression: "1 == '1'", at: "1:3", why: noOverload("_==_", "(int, string)") },
    { expression: "request.name + 1 == 'a'", at: "1:14", why: noOverload("_+_", "(string, int)") },
    { expression: "1 < 2 < 3", at: "1:7", why: noOverload("_<_", "(bool, int)") },
    { expression: "'a' in [1]", at: "1:5", why: noOverload("@in", "(string, list(int))") },
    { expression: "!1", at: "1:1", why: noOverload("!_", "(int)") },
    { expression: "true ? 1 : 'a'", at: "1:6", why: noOverload("_?_:_", "(bool, int, string)") },
    { expression: "'a'.startsWith(1)", at: "1:15", why: noOverload("startsWith", "string.(int)") },
    { expression: "true || 1", at: "1:9", why: "expected type 'bool' but found 'int'" },
    { expression: "[1, 'a'] == []", at: "1:5", why: "expected type 'int' but found 'string'" },
    { expression: "99999999999999999999 == 1", at: "1:1", why: "invalid int literal" },
  ])("$expression", ({ expression, at, why }) => {
    const [cause] = checkCel(expression, "f", { roots, variables: ["a"], wanted });
    expect(cause?.message).toContain(`compilation failed: ERROR: <input>:${at}: ${why}\n | `);
  });

  it("tells of all faults, in their order", () => {
    const [cause] = checkCel("object.a = 'b'", "f", { roots });
    expect(cause?.message).toBe(
      "Invalid value: \"object.a = 'b'\": compilation failed: " +
        "ERROR: <input>:1:10: Syntax error: token recognition error at: '= '\n | object.a = 'b'\n | .........^\n" +
        "ERROR: <input>:1:12: Syntax error: extraneous input ''b'' expecting <EOF>\n | object.a = 'b'\n | ...........^",
    );
  });

  it("has nothing to show of nothing", () => {
    const [cause] = checkCel("", "f", { roots });
    expect(cause?.message).toBe(
      `Invalid value: "": compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`,
    );
  });

  it("is not lost in its own depth", () => {
    for (const part of ["(", "[", "{1:", "!(", "f(", "a.all(x, "]) {
      expect(checkCel(part.repeat(20_000), "f", { roots })).toHaveLength(1);
    }
    expect(checkCel(`${"!".repeat(50_000)}true`, "f", { roots })).toEqual([]);
  });
});

test.each([
  { expression: "1", type: "int" },
  { expression: "-1.5", type: "double" },
  { expression: "1u", type: "uint" },
  { expression: '"x"', type: "string" },
  { expression: "b'x'", type: "bytes" },
  { expression: "null", type: "null_type" },
  { expression: "object.spec.x", type: "dyn" },
  { expression: "object.spec.x + 1", type: "int" },
  { expression: "[true]", type: "list(bool)" },
  { expression: "{1: 'a'}", type: "map(int, string)" },
  { expression: "object.l.map(x, string(x))", type: "list(string)" },
  { expression: "object.x ? 'a' : 'b'", type: "string" },
  { expression: "request.userInfo.groups", type: "list(string)" },
  { expression: "duration('1s')", type: "google.protobuf.Duration" },
])("$expression is of type $type", ({ expression, type }) => {
  expect(checkCel(expression, "f", { roots, wanted })[0]?.message).toMatch(`: must evaluate to bool but got ${type}`);
});
