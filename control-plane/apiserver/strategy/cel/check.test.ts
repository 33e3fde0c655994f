import { describe, expect, it, test } from "vitest";
import { type CelContext, celBudget, checkCel } from "./check.ts";

const roots = ["object", "oldObject", "request", "authorizer", "namespaceObject"];
const wanted = { types: ["bool"], message: (got: string) => `must evaluate to bool but got ${got}` };

const check = (expression: string, context: Omit<CelContext, "budget">) =>
  checkCel(expression, "f", { budget: celBudget(), ...context });

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
  expect(check(expression, { roots, wanted })).toEqual([]);
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
  expect(check(expression, { roots: [...roots, ...more] })).toEqual([]);
  expect(check(expression, { roots })).not.toEqual([]);
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
    { expression: "9223372036854775808 == 1", at: "1:1", why: "invalid int literal" },
    { expression: "18446744073709551616u == 1u", at: "1:1", why: "invalid uint literal" },
    { expression: "1e999 == 1.0", at: "1:1", why: "invalid double literal" },
    { expression: "object.constructor(1)", at: "1:19", why: undeclared("constructor") },
    { expression: "'a'.toString(1) == 'a'", at: "1:13", why: undeclared("toString") },
    { expression: "__proto__ == 1", at: "1:1", why: undeclared("__proto__") },
    { expression: "request.constructor.name == 'a'", at: "1:8", why: "undefined field 'constructor'" },
    { expression: "variables.constructor", at: "1:10", why: "undefined field 'constructor'" },
  ])("$expression", ({ expression, at, why }) => {
    const [cause] = check(expression, { roots, variables: new Set(["a"]), wanted });
    expect(cause?.message).toContain(`compilation failed: ERROR: <input>:${at}: ${why}\n | `);
  });

  it("tells of all faults, in their order", () => {
    const [cause] = check("object.a = 'b'", { roots });
    expect(cause?.message).toBe(
      "Invalid value: \"object.a = 'b'\": compilation failed: " +
        "ERROR: <input>:1:10: Syntax error: token recognition error at: '= '\n | object.a = 'b'\n | .........^\n" +
        "ERROR: <input>:1:12: Syntax error: extraneous input ''b'' expecting <EOF>\n | object.a = 'b'\n | ...........^",
    );
  });

  it("has nothing to show of nothing", () => {
    const [cause] = check("", { roots });
    expect(cause?.message).toBe(
      `Invalid value: "": compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`,
    );
  });

  const chain = (part: string, count: number, between = "") => Array<string>(count).fill(part).join(between);
  const recursion = "expression recursion limit exceeded: 250";
  const depth = "max recursion depth exceeded";

  it.each([
    { name: "parentheses", most: 249, of: (n: number) => `${chain("(", n)}true${chain(")", n)}`, limit: recursion },
    { name: "lists", most: 250, of: (n: number) => `${chain("[", n)}${chain("]", n)} == []`, limit: recursion },
    { name: "sums", most: 250, of: (n: number) => `${chain("1", n, "+")} == 3`, limit: depth },
    { name: "products", most: 250, of: (n: number) => `${chain("1", n, "*")} == 3`, limit: depth },
    { name: "fields", most: 249, of: (n: number) => `object${chain(".a", n)} == 1`, limit: depth },
    { name: "indexes", most: 249, of: (n: number) => `object${chain("[0]", n)} == 1`, limit: depth },
    { name: "methods", most: 249, of: (n: number) => `object${chain(".trim()", n)} == ''`, limit: depth },
  ])("takes at most $most $name within one another", ({ most, of, limit }) => {
    expect(check(of(most), { roots })).toEqual([]);
    expect(check(of(most + 1), { roots })[0]?.message).toContain(`compilation failed: ERROR: <input>:-1:0: ${limit}`);
  });

  it("does not count how long a chain of && and || is", () => {
    for (const operator of ["&&", "||"]) expect(check(chain("true", 14_000, operator), { roots, wanted })).toEqual([]);
  });

  it("says how much too long it is", () => {
    expect(check(`true${" ".repeat(100_000)}`, { roots })[0]?.message).toContain(
      "compilation failed: ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100004, limit 100000",
    );
  });

  it("tells of 100 faults", () => {
    const names = Array.from({ length: 120 }, (_, i) => `x${i}`);
    const why = check(names.join("&&"), { roots })[0]?.message ?? "";
    expect(why.match(/ERROR/g)).toHaveLength(100);
    expect(why.endsWith("\n20 more errors were truncated")).toBe(true);
    expect(check("@".repeat(120), { roots })[0]?.message).toMatch(/\n1 more errors were truncated$/);
  });

  it("says no more of all expressions than the budget has", () => {
    const budget = celBudget();
    const hostile = "@".repeat(99_000);
    const lengths = Array.from(
      { length: 30 },
      () => checkCel(hostile, "f", { roots, budget })[0]?.message?.length ?? 0,
    );
    expect(lengths[0] ?? 0).toBeGreaterThan(1024 * 1024);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(8 * 1024 * 1024);
    expect(budget.left).toBeLessThanOrEqual(0);
  });

  it("does not let types double with each name that is bound", () => {
    const binds = Array.from({ length: 200 }, (_, i) => `cel.bind(x${i + 1}, {x${i}: x${i}}, `).join("");
    expect(check(`cel.bind(x0, 1, ${binds}true${")".repeat(201)}`, { roots: ["cel"] })).toEqual([]);
  });

  it("takes the least integer for what it is", () => {
    for (const least of ["-9223372036854775808", "- 0x8000000000000000"]) {
      expect(check(`${least} < 0`, { roots, wanted })).toEqual([]);
    }
  });

  it("is not lost in its own depth", () => {
    for (const part of ["(", "[", "{1:", "!(", "f(", "a.all(x, "]) {
      expect(check(part.repeat(20_000), { roots })).toHaveLength(1);
    }
    expect(check(`${"!".repeat(50_000)}true`, { roots })).toEqual([]);
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
  expect(check(expression, { roots, wanted })[0]?.message).toMatch(`: must evaluate to bool but got ${type}`);
});
