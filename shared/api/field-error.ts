import type { StatusCause } from "./status.ts";

/*
 * Field errors with upstream's words (apimachinery, util/validation/field). Each constructor gives one cause of a 422;
 * `field` is a path such as `spec.containers[0].name`.
 */

const cause = (reason: string, field: string, message: string): StatusCause => ({ reason, message, field });

const withDetail = (text: string, detail: string) => (detail === "" ? text : `${text}: ${detail}`);

const CONTROL_ESCAPES: Record<string, string> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** A string as Go's `%q` prints it. */
export function quote(text: string): string {
  if (/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) {
    const known = CONTROL_ESCAPES[char];
    const code = char.codePointAt(0) ?? 0;
    if (known !== undefined) out += known;
    else if (code < 0x20 || code === 0x7f) out += `\\x${code.toString(16).padStart(2, "0")}`;
    else if (code < 0x7f || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char)) out += char;
    else if (code < 0x10000) out += `\\u${code.toString(16).padStart(4, "0")}`;
    else out += `\\U${code.toString(16).padStart(8, "0")}`;
  }
  return `${out}"`;
}

/** JSON as Go's encoder prints it: `<`, `>`, `&` and the two line separators escaped. */
export function goJson(value: unknown): string {
  const text = JSON.stringify(value === undefined ? null : value);
  return text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}

const printValue = (value: unknown) => (typeof value === "string" ? quote(value) : goJson(value));

export const required = (field: string, detail = "") =>
  cause("FieldValueRequired", field, withDetail("Required value", detail));

/** `value`: strings quoted, all else as JSON (undefined as null, like a nil pointer). */
export const invalidValue = (field: string, value: unknown, detail: string) =>
  cause("FieldValueInvalid", field, withDetail(`Invalid value: ${printValue(value)}`, detail));

export const fieldForbidden = (field: string, detail: string) =>
  cause("FieldValueForbidden", field, withDetail("Forbidden", detail));

export const duplicate = (field: string, value: unknown) =>
  cause("FieldValueDuplicate", field, `Duplicate value: ${printValue(value)}`);

export const valueNotFound = (field: string, value: unknown) =>
  cause("FieldValueNotFound", field, `Not found: ${printValue(value)}`);

/** The supported values are printed in the order given (upstream sorts where it holds a set). */
export const notSupported = (field: string, value: unknown, supported: readonly string[]) =>
  cause(
    "FieldValueNotSupported",
    field,
    withDetail(
      `Unsupported value: ${printValue(value)}`,
      supported.length === 0 ? "" : `supported values: ${supported.map(quote).join(", ")}`,
    ),
  );

/** The value itself is left out of the message. A negative maximum is not printed. */
export const tooLong = (field: string, maxBytes: number) =>
  cause(
    "FieldValueTooLong",
    field,
    `Too long: ${maxBytes < 0 ? "value is too long" : `may not be more than ${maxBytes} ${maxBytes === 1 ? "byte" : "bytes"}`}`,
  );

export const tooMany = (field: string, count: number, maxCount: number) =>
  cause(
    "FieldValueTooMany",
    field,
    `Too many: ${count}: must have at most ${maxCount} ${maxCount === 1 ? "item" : "items"}`,
  );

/** Text of a range check on whole numbers. */
export const inclusiveRange = (low: number, high: number) => `must be between ${low} and ${high}, inclusive`;

export const NOT_NEGATIVE = "must be greater than or equal to 0";
export const FIELD_IMMUTABLE = "field is immutable";

/** One cause per message of a name or format check. */
export const invalidEach = (field: string, value: unknown, messages: string[]): StatusCause[] =>
  messages.map((message) => invalidValue(field, value, message));

/** Where the value is too long or of no help (upstream's OmitValueType). */
export const invalidUnprinted = (field: string, detail: string) =>
  cause("FieldValueInvalid", field, `Invalid value: ${detail}`);
