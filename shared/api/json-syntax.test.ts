import { describe, expect, it } from "vitest";
import { explainBadJson } from "./json-syntax.ts";

describe("why a text is no JSON, in Go's words", () => {
  it.each([
    ["", "unexpected end of JSON input"],
    ["{", "unexpected end of JSON input"],
    ['{"a"', "unexpected end of JSON input"],
    ['"a', "unexpected end of JSON input"],
    ["[1", "unexpected end of JSON input"],
    ["nul", "invalid character ' ' in literal null (expecting 'l')"],
    ["tru", "invalid character ' ' in literal true (expecting 'e')"],
    ["nux", "invalid character 'x' in literal null (expecting 'l')"],
    ["-", "invalid character ' ' in numeric literal"],
    ["1.", "invalid character ' ' after decimal point in numeric literal"],
    ["1e", "invalid character ' ' in exponent of numeric literal"],
    ["[1.]", "invalid character ']' after decimal point in numeric literal"],
    ['"\\', "invalid character ' ' in string escape code"],
    ['"\\u1', "invalid character ' ' in \\u hexadecimal character escape"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ["\u0000", "invalid character '\\x00' looking for beginning of value"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ["\u0007", "invalid character '\\a' looking for beginning of value"],
    ["\u007f", "invalid character '\\x7f' looking for beginning of value"],
    ["é", "invalid character 'Ã' looking for beginning of value"],
    ["😀", "invalid character 'ð' looking for beginning of value"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ["\\", "invalid character '\\\\' looking for beginning of value"],
    ['{"a":1}x', "invalid character 'x' after top-level value"],
    ["{1}", "invalid character '1' looking for beginning of object key string"],
    ['{"a":1"', "invalid character '\"' after object key:value pair"],
    [`${"[".repeat(10_001)}`, "exceeded max depth"],
  ])("%j: %s", (text, want) => expect(explainBadJson(text)).toBe(want));
});
