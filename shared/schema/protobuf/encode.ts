import { isJsonObject, type Json, type JsonObject } from "../../api/json.ts";
import type { Field, Message, Type } from "./message.ts";
import { WireType } from "./reader.ts";
import { writeLeaf } from "./write-leaf.ts";
import type { Writer } from "./writer.ts";

/**
 * Writes an object's fields as upstream's generated code does: in the order of their numbers, and those that Go holds
 * by value even when they are empty. Fields that the message does not have are left out.
 */
export function encodeMessage(writer: Writer, message: Message, object: JsonObject): void {
  for (let number = 1; number < message.fields.length; number++) {
    const field = message.fields[number];
    if (field) writeField(writer, number, field, object);
  }
}

function writeField(writer: Writer, number: number, field: Field, object: JsonObject): void {
  const { type } = field;
  if (field.shape === "inline") {
    writer.tag(number, WireType.bytes);
    writeValue(writer, type, object);
    return;
  }
  const value = object[field.name];
  if (field.shape === "list") {
    for (const item of Array.isArray(value) ? value : []) {
      writer.tag(number, type.wireType);
      writeValue(writer, type, item);
    }
    return;
  }
  if (field.shape === "map") {
    writeMap(writer, number, type, isJsonObject(value) ? value : {});
    return;
  }
  if ((value === undefined || value === null) && !field.isByValue) return;
  writer.tag(number, type.wireType);
  writeValue(writer, type, value);
}

/** Entries in the order of their keys, so that equal objects have equal bytes. */
function writeMap(writer: Writer, number: number, type: Type, map: JsonObject): void {
  for (const key of Object.keys(map).sort()) {
    writer.tag(number, WireType.bytes);
    const start = writer.begin();
    writer.tag(1, WireType.bytes);
    writer.string(key);
    writer.tag(2, type.wireType);
    writeValue(writer, type, map[key]);
    writer.end(start);
  }
}

function writeValue(writer: Writer, type: Type, value: Json | undefined): void {
  if (type.kind !== "message") {
    writeLeaf(writer, type.kind, value);
    return;
  }
  const start = writer.begin();
  encodeMessage(writer, type.message, fieldsOf(type.message, value));
  writer.end(start);
}

function fieldsOf({ wrap }: Message, value: Json | undefined): JsonObject {
  if (wrap) return value === undefined || value === null ? {} : wrap(value);
  return isJsonObject(value) ? value : {};
}
