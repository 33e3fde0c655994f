import { describe, expect, it } from "vitest";
import { CelDefaultMap, CelQuantity, type CelValue, parseExpression, semverOf } from "./index.ts";

const gpu = new Map<string, CelValue>([
  ["model", "A100"],
  ["index", 3n],
  ["shared", false],
  ["driver", semverOf("1.10.0")],
]);
const device = new Map<string, CelValue>([
  ["driver", "gpu.example.com"],
  ["attributes", new CelDefaultMap([["gpu.example.com", gpu]], new Map())],
  ["capacity", new CelDefaultMap([["gpu.example.com", new Map([["memory", CelQuantity.parse("40Gi")]])]], new Map())],
]);

const evaluate = (expression: string, left = 10_000) => parseExpression(expression).evaluate({ device }, { left });
const A = 'device.attributes["gpu.example.com"]';
const C = 'device.capacity["gpu.example.com"]';

describe("an expression's value", () => {
  it.each<[string, CelValue]>([
    ['device.driver == "gpu.example.com"', true],
    [`${A}.model == "A100" && ${A}.index == 3`, true],
    [`${A}.model.startsWith("A") || ${A}.missing`, true],
    [`${A}.missing || ${A}.model.startsWith("A")`, true],
    [`${A}.missing && false`, false],
    ['"model" in device.attributes["other"]', false],
    ['has(device.attributes["other"].model)', false],
    [`has(${A}.model)`, true],
    [`${A}.?model.orValue("") == "A100"`, true],
    [`${A}.?other.orValue("none")`, "none"],
    [`${A}[?"other"].hasValue()`, false],
    [`${A}.?model.optMap(m, m + "!").value()`, "A100!"],
    [`optional.of(1).or(optional.of(2)).value()`, 1n],
    [`cel.bind(a, ${A}, a.model + string(a.index))`, "A1003"],
    [`${C}.memory.compareTo(quantity("40960Mi"))`, 0n],
    [`${C}.memory.isGreaterThan(quantity("39Gi")) && ${C}.memory.isInteger()`, true],
    [`${C}.memory == quantity("40Gi")`, true],
    ['quantity("1500m").add(1).sub(quantity("500m")).asInteger()', 2n],
    [`${A}.driver.isGreaterThan(semver("1.9.3"))`, true],
    [`${A}.driver == semver("1.10.0+build") && ${A}.driver.minor() == 10`, true],
    ['semver("1.0.0-rc.2").compareTo(semver("1.0.0-rc.10"))', -1n],
    ['isSemver("v1.2") || isQuantity("x")', false],
    ["[1, 2, 3].exists(x, x > 2) && [1, 2].all(x, x > 0)", true],
    ["[1, 2, 3].filter(x, x > 1).map(x, x * 2)", [4n, 6n]],
    ["[1, 2, 3].map(x, x > 1, x * 2)", [4n, 6n]],
    ["[1, 2, 2].exists_one(x, x == 2)", false],
    [`${A}.exists(k, k == "model")`, true],
    ["[1, 0].exists(x, 1 / x == 1)", true],
    ["{'a': 1, 'b': [true]}.b[0]", true],
    ["1 == 1.0 && 1u == 1 && 1 < 1.5", true],
    ["'1' == 1", false],
    ["-7 / 2 == -3 && -7 % 2 == -1", true],
    [String.raw`'\u00e9\x41\101\n' == "éAA\n" && r'\n'.size() == 2`, true],
    ["'héllo'.substring(1, 3) + 'aXb'.lowerAscii() + 'abc'.charAt(1)", "élaxbb"],
    ["'a,b,c'.split(',', 2)", ["a", "b,c"]],
    ["'abcabc'.indexOf('c') + 'abcabc'.lastIndexOf('c')", 7n],
    ["['b', 'a'].join('-') + 'x'.replace('x', '$&')", "b-a$&"],
    ["[3, 1].min() + [3, 1].max() + [3, 1].sum()", 8n],
    ["[1, 2].isSorted() ? 'yes' : 'no'", "yes"],
    ["'A100-80GB'.matches('^A[0-9]+-(?:40|80)GB$')", true],
    [String.raw`'a]+b'.matches(r'^[^\]x]+?\]\+?b$')`, true],
    ["int('12') + int(2.9) + int(3u)", 17n],
    ["size({'a': 1}) + size([1]) + size('ab')", 4n],
    ["9223372036854775807 == 9223372036854775806 + 1", true],
    ["!(1 in [2]) && -(-1) == 1", true],
  ])("%s", (expression, want) => expect(evaluate(expression)).toEqual(want));
});

describe("what an expression fails with", () => {
  it.each<[string, string]>([
    [`${A}.missing == 1`, "no such key: missing"],
    ["device.driver + 1", "no such overload: string + int"],
    ["9223372036854775807 + 1", "integer overflow"],
    ["1 / 0", "division by zero"],
    ["[1][1]", "index out of bounds: 1"],
    ["other == 1", "undeclared reference to 'other'"],
    ["device.driver.now()", "unsupported function: now"],
    ["timestamp('2026-01-01T00:00:00Z')", "unsupported function: timestamp"],
    ["1 +", "Syntax error"],
    ["device.driver.constructor == 1", "string has no fields"],
    ["{'a': 1}.__proto__ == 1", "no such key: __proto__"],
    ["'a'.constructor()", "unsupported function: constructor"],
    ["true ? 1 : 2 || false", "int is no bool"],
    [String.raw`string(b'\xff') == ''`, "invalid UTF-8"],
    ["'a'.split('', 'b') == []", "no such overload: split(string, string, string)"],
    ["'a'.replace('a', 'b', 1.5) == ''", "no such overload: replace(string, string, string, double)"],
    ["[?optional.of(1)]", "optional list items are not supported"],
  ])("%s", (expression, want) => {
    const failing = expression.startsWith("true ?") ? "(true ? 1 : 2) || false" : expression;
    expect(() => evaluate(failing)).toThrow(want);
  });
});

/** A list of lists of lists, each made of one that stands in it several times. */
const nested = (list: string, levels: number): string =>
  levels === 0 ? "1" : `cel.bind(a, ${nested(list, levels - 1)}, ${list})`;

describe("an expression that would take too long", () => {
  const LIMIT = "operation cancelled: actual cost limit exceeded";
  const ten = "[1,2,3,4,5,6,7,8,9,10]";
  it.each<[string, string]>([
    [`${ten}.all(a, ${ten}.all(b, ${ten}.all(c, ${ten}.all(d, ${ten}.all(e, true)))))`, LIMIT],
    [`(${ten}.all(a, ${ten}.all(b, ${ten}.all(c, ${ten}.all(d, true))))) || true`, LIMIT],
    ["'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.matches('^(a+)+$')", "repeats what has many ways"],
    ["'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.matches('^(a|a)*$')", "repeats what has many ways"],
    ["'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.matches('a*a*a*a*a*a*b')", LIMIT],
    ["'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.matches('(?=a)')", "unsupported regular expression"],
    ["'a'.matches('[]|(a+)+b[x]')", "unsupported regular expression"],
    ["'a'.matches('[^]|(a+)+b[x]')", "unsupported regular expression"],
    [String.raw`'+'.matches(r'^(\+?\+?)*y')`, "repeats what has many ways"],
    [`cel.bind(s, "${"a".repeat(5_000)}", ${ten}.all(a, ${ten}.all(b, s.size() > 0)))`, LIMIT],
    [`cel.bind(s, "${"a".repeat(5_000)}", ${ten}.map(a, bytes(s) == bytes(s)))`, LIMIT],
    [`${ten}.all(a, ${ten}.all(b, "${"a".repeat(5_000)}" != ""))`, LIMIT],
    [`${nested("[a, a, a, a, a]", 6)} == ${nested("[a, a, a, a, a]", 6)}`, LIMIT],
  ])("%s", (expression, want) => expect(() => evaluate(expression)).toThrow(want));
});
