import type { Json, JsonObject } from "../../shared/api/json.ts";
import { type Message, messageOf, type Type } from "../../shared/schema/protobuf/message.ts";

/** A field's value: numbers and booleans are varints, the rest has a length. */
export type Encodable = number | bigint | boolean | string | Uint8Array;

/** A message of fields by number, in that order, as in `message([1, "web"], [2, message([1, 80])])`. */
export const message = (...fields: [number: number, value: Encodable][]): Uint8Array =>
  joined(fields.map(([number, value]) => encodeField(number, value)));

/** A number as a double. */
export function double(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return bytes;
}

/** A field whose value is given as it lies on the wire. */
export const rawField = (number: number, wireType: number, bytes: Uint8Array): Uint8Array =>
  joined([varint((number << 3) | wireType), bytes]);

export function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.of(...bytes, Number(rest));
}

export function joined(parts: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A request's body: the prefix and the envelope around an object. */
export const body = (apiVersion: string, kind: string, raw: Uint8Array): Uint8Array =>
  joined([
    Uint8Array.of(0x6b, 0x38, 0x73, 0),
    message([1, message([1, apiVersion], [2, kind])], [2, raw], [3, ""], [4, ""]),
  ]);

/** A request's body of an object in JSON. @param definition as in `io.k8s.api.core.v1.Pod` */
export function bodyOf(definition: string, object: JsonObject): Uint8Array {
  return body(String(object.apiVersion), String(object.kind), encodeMessage(messageOf(definition)!, object));
}

/** An object in JSON as the message; fields that the message does not have are left out. */
export function encodeMessage({ fields }: Message, object: JsonObject): Uint8Array {
  return joined(
    fields.flatMap((field, number): Uint8Array[] => {
      if (!field) return [];
      const { name, shape, type } = field;
      if (shape === "inline") return [encodeField(number, encodeMessage(messageIn(type), object))];
      const value = object[name];
      if (value === undefined || value === null) return [];
      if (shape === "list") return (value as Json[]).map((item) => encodeTyped(number, type, item));
      if (shape === "one") return [encodeTyped(number, type, value)];
      return Object.entries(value).map(([key, item]) =>
        encodeField(number, joined([encodeField(1, key), encodeTyped(2, type, item)])),
      );
    }),
  );
}

function messageIn(type: Type): Message {
  if (type.kind !== "message") throw new Error(`${type.kind} is no message`);
  return type.message;
}

function encodeField(number: number, value: Encodable): Uint8Array {
  if (typeof value === "string") return encodeField(number, new TextEncoder().encode(value));
  if (value instanceof Uint8Array) return joined([varint((number << 3) | 2), varint(value.length), value]);
  return joined([varint(number << 3), varint(typeof value === "boolean" ? Number(value) : value)]);
}

function encodeTyped(number: number, type: Type, value: Json): Uint8Array {
  switch (type.kind) {
    case "message": {
      if (!type.message.unwrap) return encodeField(number, encodeMessage(type.message, value as JsonObject));
      const wrapped = Object.fromEntries(type.message.fields.flatMap((field) => (field ? [[field.name, value]] : [])));
      return encodeField(number, encodeMessage(type.message, wrapped));
    }
    case "double":
      return rawField(number, 1, double(value as number));
    case "bytes":
      return encodeField(
        number,
        Uint8Array.from(atob(value as string), (char) => char.charCodeAt(0)),
      );
    case "time":
    case "microTime":
      return encodeField(number, encodeTime(value as string));
    case "quantity":
      return encodeField(number, message([1, value as string]));
    case "intOrString":
      return encodeField(
        number,
        typeof value === "string"
          ? message([1, 1], [2, 0], [3, value])
          : message([1, 0], [2, value as number], [3, ""]),
      );
    case "json":
      return encodeField(number, message([1, JSON.stringify(value)]));
    default:
      return encodeField(number, value as string | number | boolean);
  }
}

function encodeTime(text: string): Uint8Array {
  const micros = Number(/\.(\d+)Z$/.exec(text)?.[1] ?? 0);
  return message([1, Math.floor(Date.parse(text) / 1000)], [2, micros * 1000]);
}
