import { expect, test } from "vitest";
import * as fieldError from "./field-error.ts";

test.each([
  {
    name: "a missing value",
    cause: fieldError.required("spec.a"),
    reason: "FieldValueRequired",
    message: "Required value",
  },
  {
    name: "a missing value with a reason",
    cause: fieldError.required("a", "must be set"),
    reason: "FieldValueRequired",
    message: "Required value: must be set",
  },
  {
    name: "a wrong text, quoted as Go does",
    cause: fieldError.invalidValue("a", 'x"\n\u0001é', "no"),
    reason: "FieldValueInvalid",
    message: 'Invalid value: "x\\"\\n\\x01é": no',
  },
  {
    name: "a wrong number",
    cause: fieldError.invalidValue("a", -1, fieldError.NOT_NEGATIVE),
    reason: "FieldValueInvalid",
    message: "Invalid value: -1: must be greater than or equal to 0",
  },
  {
    name: "a wrong struct, with Go's escapes of HTML",
    cause: fieldError.invalidValue("a", { b: "<&>" }, "no"),
    reason: "FieldValueInvalid",
    message: 'Invalid value: {"b":"\\u003c\\u0026\\u003e"}: no',
  },
  {
    name: "a wrong value that is not printed",
    cause: fieldError.invalidUnprinted("a", "no"),
    reason: "FieldValueInvalid",
    message: "Invalid value: no",
  },
  {
    name: "nothing",
    cause: fieldError.invalidValue("a", undefined, ""),
    reason: "FieldValueInvalid",
    message: "Invalid value: null",
  },
  {
    name: "a taboo",
    cause: fieldError.fieldForbidden("a", "no"),
    reason: "FieldValueForbidden",
    message: "Forbidden: no",
  },
  {
    name: "a double",
    cause: fieldError.duplicate("a", "x"),
    reason: "FieldValueDuplicate",
    message: 'Duplicate value: "x"',
  },
  {
    name: "a value outside a list",
    cause: fieldError.notSupported("a", "x", ["b", "c"]),
    reason: "FieldValueNotSupported",
    message: 'Unsupported value: "x": supported values: "b", "c"',
  },
  {
    name: "too long",
    cause: fieldError.tooLong("a", 3),
    reason: "FieldValueTooLong",
    message: "Too long: may not be more than 3 bytes",
  },
  {
    name: "too many",
    cause: fieldError.tooMany("a", 4, 3),
    reason: "FieldValueTooMany",
    message: "Too many: 4: must have at most 3 items",
  },
])("$name", ({ cause, reason, message }) => {
  expect(cause).toMatchObject({ reason, message });
});
