import fc from "fast-check";
import type { Json, JsonObject } from "../../shared/api/json.ts";
import type { Message, Type } from "../../shared/schema/protobuf/message.ts";

/** Any value of a type; no empty ones, which would be left out. */
function anyValue(type: Type, depth: number): fc.Arbitrary<Json> {
  switch (type.kind) {
    case "message":
      return type.message.unwrap ? anyUnwrapped(type.message, depth) : anyObjectOf(type.message, depth);
    case "string":
      return fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" });
    case "boolean":
      return fc.constant(true);
    case "int32":
      return fc.integer().filter((value) => value !== 0);
    case "int64":
      return fc.maxSafeInteger().filter((value) => value !== 0);
    case "double":
      return fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => value !== 0);
    case "bytes":
      return fc.uint8Array({ minLength: 1 }).map((bytes) => btoa(String.fromCharCode(...bytes)));
    case "time":
      return fc
        .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
        .map((date) => `${date.toISOString().slice(0, 19)}Z`);
    case "microTime":
      return fc
        .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
        .map((date) => date.toISOString().replace("Z", "000Z"));
    case "quantity":
      return fc.constantFrom("1", "500m", "1Gi", "1e3");
    case "intOrString":
      return fc.oneof(
        fc.integer().filter((value) => value !== 0),
        fc.constantFrom("25%", "http"),
      );
    case "json":
      // Through its text, which has no -0; null is no value at all.
      return fc
        .json()
        .map((text) => JSON.parse(text) as Json)
        .filter((value) => value !== null);
  }
}

/** Of those that are no objects: a list, which all have but one, or a boolean. */
function anyUnwrapped(message: Message, depth: number): fc.Arbitrary<Json> {
  const field = message.fields.find((each) => each?.shape === "list" || each?.name === "allows")!;
  if (field.shape === "one") return fc.constant(true);
  return fc.array(anyValue(field.type, depth - 1), { minLength: 1, maxLength: 2 });
}

/** Objects of a message, with messages nested so deep. No field is empty, since JSON would leave it out. */
export function anyObjectOf(message: Message, depth: number): fc.Arbitrary<JsonObject> {
  const fields: Record<string, fc.Arbitrary<Json>> = {};
  collectFields(message, depth, fields);
  return fc.record(fields, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
}

function collectFields(message: Message, depth: number, fields: Record<string, fc.Arbitrary<Json>>): void {
  for (const field of message.fields) {
    if (!field) continue;
    if (field.type.kind === "message" && field.shape === "inline") collectFields(field.type.message, depth, fields);
    if (field.shape === "inline" || (field.type.kind === "message" && depth === 0)) continue;
    const value = anyValue(field.type, depth - 1);
    if (field.shape === "one") fields[field.name] = value;
    else if (field.shape === "list") fields[field.name] = fc.array(value, { minLength: 1, maxLength: 2 });
    else
      fields[field.name] = fc.dictionary(fc.string({ maxLength: 5 }), value, {
        minKeys: 1,
        maxKeys: 2,
        noNullPrototype: true,
      });
  }
}
