import { type Json, type JsonObject, setOwn } from "../../api/json.ts";
import { readLeaf } from "./leaf.ts";
import type { Field, Message, Type } from "./message.ts";
import { ProtobufError, type Reader, WireType } from "./reader.ts";

/** No kind comes near it but a schema within schemas; it keeps a hostile body from using up the stack. */
const MAX_DEPTH = 100;
/** A value may take two bytes on the wire and a hundred in memory. The largest object that can be stored has far fewer. */
const MAX_VALUES = 500_000;

/** Reads the message up to the reader's end. @throws ProtobufError */
export function decodeMessage(reader: Reader, message: Message): JsonObject {
  return new Walk(reader).message(message, {});
}

/** One pass over a body. */
class Walk {
  readonly #reader: Reader;
  #depth = 0;
  #values = 0;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** @param object gets the fields: a field of a message that is sent in several pieces is all of them */
  message(message: Message, object: JsonObject): JsonObject {
    if (++this.#depth > MAX_DEPTH) throw new ProtobufError("exceeded max depth");
    const reader = this.#reader;
    while (!reader.isDone) {
      const tag = reader.tag();
      const wireType = tag & 7;
      if (wireType === WireType.endGroup) {
        throw new ProtobufError(`proto: ${message.name}: wiretype end group for non-group`);
      }
      if (tag < 8 || tag >= 2 ** 32) {
        throw new ProtobufError(`proto: ${message.name}: illegal tag ${Math.floor(tag / 8)} (wire type ${tag})`);
      }
      const field = message.fields[tag >>> 3];
      if (field) this.#field(field, wireType, object);
      else reader.skip(wireType);
    }
    this.#depth--;
    return object;
  }

  #field(field: Field, wireType: number, object: JsonObject): void {
    const { name, type, shape } = field;
    this.#count();
    if (shape === "list") {
      object[name] ??= [];
      this.#items(field, wireType, object[name] as Json[]);
      return;
    }
    if (shape === "map") {
      expectWireType(wireType, WireType.bytes, name);
      object[name] ??= {};
      this.#entry(field, object[name] as JsonObject);
      return;
    }
    expectWireType(wireType, type.wireType, name);
    if (type.kind === "message") {
      if (shape === "inline") this.#nested(type.message, object);
      else object[name] = this.#nested(type.message, type.message.unwrap ? {} : ((object[name] ?? {}) as JsonObject));
      return;
    }
    const value = this.#value(type);
    // Protobuf always sends the fields that are no pointers; JSON leaves them out when they are empty.
    if (value !== undefined && (field.isPointer || !isEmpty(type, value))) object[name] = value;
    else if (object[name] !== undefined) delete object[name];
  }

  /** One item, or several numbers packed into one value. */
  #items({ name, type }: Field, wireType: number, list: Json[]): void {
    if (wireType === type.wireType) {
      list.push(this.#value(type) ?? null);
      return;
    }
    expectWireType(wireType, WireType.bytes, name);
    const outer = this.#reader.enter();
    while (!this.#reader.isDone) {
      this.#count();
      list.push(this.#value(type) ?? null);
    }
    this.#reader.leave(outer);
  }

  /** `{key=1, value=2}`, either of which may be missing. Keys are strings in all of the API. */
  #entry({ name, type }: Field, map: JsonObject): void {
    const reader = this.#reader;
    let key = "";
    let value: Json | undefined;
    const outer = reader.enter();
    while (!reader.isDone) {
      const tag = reader.tag();
      const wireType = tag & 7;
      if (tag >>> 3 === 1) {
        expectWireType(wireType, WireType.bytes, name);
        key = reader.string();
      } else if (tag >>> 3 === 2) {
        expectWireType(wireType, type.wireType, name);
        value = this.#value(type);
      } else reader.skip(wireType);
    }
    reader.leave(outer);
    setOwn(map, key, value ?? zeroOf(type));
  }

  #value(type: Type): Json | undefined {
    return type.kind === "message" ? this.#nested(type.message, {}) : readLeaf(this.#reader, type.kind);
  }

  #nested(message: Message, into: JsonObject): Json {
    const outer = this.#reader.enter();
    const object = this.message(message, into);
    this.#reader.leave(outer);
    return message.unwrap ? message.unwrap(object) : object;
  }

  #count(): void {
    if (++this.#values > MAX_VALUES) throw new ProtobufError(`more than ${MAX_VALUES} values`);
  }
}

/** Types that are structs in Go (int or string, JSON) are never empty. */
function isEmpty({ kind }: Type, value: Json): boolean {
  return kind !== "intOrString" && kind !== "json" && (value === "" || value === 0 || value === false);
}

function expectWireType(got: number, wanted: number, field: string): void {
  if (got === wanted) return;
  const goField = field.charAt(0).toUpperCase() + field.slice(1);
  throw new ProtobufError(`proto: wrong wireType = ${got} for field ${goField}`);
}

function zeroOf(type: Type): Json {
  switch (type.kind) {
    case "string":
    case "bytes":
      return "";
    case "boolean":
      return false;
    case "int32":
    case "int64":
    case "double":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    case "message":
      return type.message.unwrap ? type.message.unwrap({}) : {};
    default:
      return null;
  }
}
