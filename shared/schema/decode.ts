import { type Json, type JsonObject, setOwn } from "../api/json.ts";
import { spellingOf } from "../api/json-numbers.ts";
import { canonicalQuantity } from "../api/quantity.ts";
import { badRequest } from "../api/status.ts";
import { canonicalMicroTime, canonicalTime } from "../api/timestamp.ts";
import { canonicalBase64 } from "./base64.ts";
import { plainKey } from "./duplicates.ts";
import { explainMapMismatch } from "./map-mismatch.ts";
import type { Schema } from "./model.ts";
import { type Field, type LeafNode, type ListNode, type MapNode, type Node, nodeOf, type StructNode } from "./node.ts";
import { printPath } from "./print-path.ts";

/** What is done about fields that the kind does not have (the query parameter `fieldValidation`). */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface Decoded {
  /** A new object: known fields only, in canonical form. */
  object: JsonObject;
  /** `unknown field "spec.foo"`, `duplicate field …`, in document order, after `duplicates`; none when they are ignored. */
  unknownFields: string[];
}

/** Upstream reads JSON with one decoder, and what it holds as maps (after a strategic merge or an apply) with another. */
export type Wording = "json" | "map";

/** Upstream keeps no more of them either. */
const MAX_STRICT_ERRORS = 100;
/** No kind comes near it; it keeps a hostile body from using up the stack. */
const MAX_DEPTH = 500;

/**
 * Reads a JSON value as a kind, as upstream's decoder does: drops unknown fields and nulls, checks types, brings
 * quantities, times and bytes into canonical form, leaves out zeros of optional fields and writes those it always writes.
 * Lists, maps and bytes that were sent without content stay, since upstream tells them from those that were not sent.
 * @param schema a definition's name, or a schema
 * @param value repeated keys may be among it (`keepRepeatedKeys`)
 * @param duplicates what else the text has wrong
 * @param wording of errors: those of a decoder of JSON, or those of the conversion of a map that a patch has made
 * @throws ApiError 400 in upstream's words for a value of a wrong type, and in Strict mode for unknown or duplicate fields
 */
export function decodeObject(
  schema: string | Schema,
  value: Json,
  mode: FieldValidation,
  duplicates: string[] = [],
  wording: Wording = "json",
): Decoded {
  const node = nodeOf(schema);
  const walk = new Walk(mode !== "Ignore", wording);
  let object: JsonObject;
  try {
    object = walk.decode(node, value) as JsonObject;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`${cannotBeHandled(schema, value)}: ${error.message}`);
    throw error;
  }
  const unknown = wording === "map" ? walk.unknown.sort() : walk.unknown;
  const unknownFields = mode === "Ignore" ? [] : [...duplicates, ...unknown].slice(0, MAX_STRICT_ERRORS);
  if (mode === "Strict" && unknownFields.length > 0) {
    throw badRequest(`${cannotBeHandled(schema, value)}: ${strictDecodingError(unknownFields)}`);
  }
  return { object, unknownFields };
}

/** The reason in upstream's words, for those who wrap it themselves. */
export const strictDecodingError = (unknownFields: string[]) => `strict decoding error: ${unknownFields.join(", ")}`;

/** The kind and version are those that the object claims, or else the definition's. */
function cannotBeHandled(schema: string | Schema, value: Json): string {
  const [wantedVersion, wantedKind] = typeof schema === "string" ? schema.split(".").slice(-2) : [];
  const { kind, apiVersion } = (value ?? {}) as { kind?: unknown; apiVersion?: unknown };
  const version = typeof apiVersion === "string" ? apiVersion.split("/").at(-1) : wantedVersion;
  const name = typeof kind === "string" ? kind : wantedKind;
  return `${name} in version ${JSON.stringify(version ?? "")} cannot be handled as a ${wantedKind ?? name}`;
}

const OCTET: LeafNode = { kind: "int32", goType: "uint8" };

/** Around a quantity; other white space is escaped in JSON, and so looks like something else to upstream. */
const trimSpaces = (text: string) => text.replace(/^ +|(?<! ) +$/g, "");

class DecodeError extends Error {}

/** Of a number's text. */
const isInteger = (text: string) => /^-?\d+$/.test(text);

/** What Go's decoder calls a JSON value. */
function jsonKind(value: Json): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** One pass over a value. */
class Walk {
  readonly unknown: string[] = [];
  readonly #collects: boolean;
  /** Where the walk is: names of fields, keys of maps, indices of lists. */
  readonly #path: (string | number)[] = [];
  /** The fields alone, and the struct that holds the last: type errors name them. */
  readonly #fields: string[] = [];
  #struct: StructNode | undefined;
  /** What holds the value at hand, and under which key: numbers were spelled there. */
  #holder: object | undefined;
  #key: string | number = "";

  readonly #wording: Wording;

  constructor(collects: boolean, wording: Wording) {
    this.#collects = collects;
    this.#wording = wording;
  }

  /** @param before what a repeated key has given so far; Go's decoder reads on into it */
  decode(node: Node, value: Json, before?: Json): Json | undefined {
    switch (node.kind) {
      case "struct":
        return this.#decodeStruct(node, value, before as JsonObject | undefined);
      case "list":
        return this.#decodeList(node, value, before as Json[] | undefined);
      case "map":
        return this.#decodeMap(node, value, before as JsonObject | undefined);
      default:
        return this.#decodeLeaf(node, value);
    }
  }

  #decodeStruct(node: StructNode, value: Json, before: JsonObject = {}): JsonObject {
    if (typeof value !== "object" || value === null || Array.isArray(value)) this.#mismatch(node, value);
    if (this.#path.length > MAX_DEPTH) throw new DecodeError("exceeded max depth");
    const outer = this.#struct;
    this.#struct = node;
    const object = before;
    for (const key of Object.keys(value)) {
      const { name, isRepeated } = plainKey(key);
      const field = node.fields.get(name);
      if (field === undefined) this.#report("unknown", name);
      else {
        this.#holder = value;
        this.#key = key;
        this.#decodeField(field, value[key]!, object, isRepeated);
      }
    }
    this.#struct = outer;
    for (const field of node.always) if (object[field.name] === undefined) object[field.name] = zeroOf(field);
    return object;
  }

  #decodeField(field: Field, value: Json, object: JsonObject, isRepeated: boolean): void {
    if (isRepeated) this.#report("duplicate", field.name);
    if (value === null) {
      if (object[field.name] !== undefined && isNilable(field)) delete object[field.name];
      return;
    }
    this.#path.push(field.name);
    this.#fields.push(field.goPath);
    const decoded = this.decode(field.node, value, object[field.name] ?? undefined);
    this.#fields.pop();
    this.#path.pop();
    if (decoded === undefined) return;
    if (!field.pointer && !field.always && isZero(field.node, decoded)) {
      if (object[field.name] !== undefined) delete object[field.name];
      return;
    }
    object[field.name] = decoded;
  }

  #decodeList(node: ListNode, value: Json, before: Json[] = []): Json[] {
    if (!Array.isArray(value)) this.#mismatch(node, value);
    const list: Json[] = [];
    for (let index = 0; index < value.length; index++) {
      const item = value[index]!;
      this.#holder = value;
      this.#key = index;
      this.#path.push(index);
      list.push((item === null ? undefined : this.decode(node.item, item, before[index])) ?? zeroItem(node.item));
      this.#path.pop();
    }
    return list;
  }

  #decodeMap(node: MapNode, value: Json, before: JsonObject = {}): JsonObject {
    if (typeof value !== "object" || value === null || Array.isArray(value)) this.#mismatch(node, value);
    const map = before;
    for (const key of Object.keys(value)) {
      const { name, isRepeated } = plainKey(key);
      const item = value[key]!;
      if (isRepeated) this.#report("duplicate", name);
      this.#holder = value;
      this.#key = key;
      this.#path.push(name);
      setOwn(map, name, (item === null ? undefined : this.decode(node.value, item)) ?? zeroItem(node.value));
      this.#path.pop();
    }
    return map;
  }

  #decodeLeaf(node: LeafNode, value: Json): Json | undefined {
    switch (node.kind) {
      case "string":
        return typeof value === "string" ? value : this.#mismatch(node, value);
      case "boolean":
        return typeof value === "boolean" ? value : this.#mismatch(node, value);
      case "int32":
        return this.#decodeInteger(node, value, 2 ** 31);
      case "int64":
        return this.#decodeInteger(node, value, 2 ** 63);
      case "number":
        return typeof value === "number" ? value : this.#mismatch(node, value);
      case "intOrString":
        return typeof value === "string" ? value : this.#decodeInteger(node, value, 2 ** 31);
      case "bytes":
        return Array.isArray(value) ? this.#decodeOctets(value) : this.#decodeText(node, value, canonicalBase64);
      case "time":
        return this.#decodeText(node, value, canonicalTime);
      case "microTime":
        return this.#decodeText(node, value, canonicalMicroTime);
      case "quantity":
        return reworded(() => canonicalQuantity(trimSpaces(typeof value === "string" ? value : this.#textOf(value))));
      case "opaque":
        return value;
      default:
        throw new Error(`unknown node ${node.kind satisfies never}`);
    }
  }

  /** Go's decoder takes a list of numbers for bytes as well. */
  #decodeOctets(list: Json[]): string {
    const octets = list.map((item, index) => {
      if (typeof item !== "number") this.#mismatch(OCTET, item);
      const text = spellingOf(list, index) ?? String(item);
      if (!isInteger(text) || item < 0 || item > 255) this.#mismatch(OCTET, item, `number ${text}`);
      return String.fromCharCode(item);
    });
    return btoa(octets.join(""));
  }

  /** The value at hand as it was written. */
  #textOf(value: Json): string {
    const spelling = this.#holder && typeof value === "number" ? spellingOf(this.#holder, this.#key) : undefined;
    return spelling ?? JSON.stringify(value);
  }

  #decodeInteger(node: LeafNode, value: Json, limit: number): number {
    if (typeof value !== "number") this.#mismatch(node, value);
    const text = this.#textOf(value);
    if (!isInteger(text) && (this.#wording === "json" || !Number.isInteger(value))) {
      this.#mismatch(node, value, `number ${text}`);
    }
    if (value < limit && value >= -limit) return value;
    if (this.#wording === "json" || node.kind !== "int32") this.#mismatch(node, value, `number ${text}`);
    return value | 0; // upstream's conversion of maps lets it overflow
  }

  #decodeText(node: LeafNode, value: Json, canonical: (text: string) => string | undefined): string | undefined {
    if (typeof value !== "string") this.#mismatch(node, value);
    const prefix = this.#wording === "map" && node.kind === "bytes" ? "error decoding from json: " : "";
    return reworded(() => canonical(value), prefix);
  }

  #report(fault: "unknown" | "duplicate", key: string): void {
    if (!this.#collects || this.unknown.length >= MAX_STRICT_ERRORS) return;
    const text = `${fault} field ${JSON.stringify(printPath([...this.#path, key]))}`;
    if (!this.unknown.includes(text)) this.unknown.push(text);
  }

  /** encoding/json's UnmarshalTypeError, or what upstream's conversion of maps says instead. */
  #mismatch(node: Node, value: Json, what = jsonKind(value)): never {
    if (this.#wording === "map") throw new DecodeError(explainMapMismatch(node, value, what));
    const { goType } = node;
    const where =
      this.#struct === undefined
        ? "value"
        : `struct field ${this.#struct.goType.split(".").at(-1)}.${this.#fields.join(".")}`;
    throw new DecodeError(`json: cannot unmarshal ${what} into Go ${where} of type ${goType}`);
  }
}

/** The errors of quantities, times and bytes carry no place. */
function reworded<T>(parse: () => T, prefix = ""): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError(prefix + error.message);
    throw error;
  }
}

/** Null takes it away; of a struct by value or a scalar it is of no account. */
const isNilable = ({ node, pointer, always }: Field): boolean =>
  pointer || node.kind === "list" || node.kind === "map" || (node.kind === "struct" && !always);

/** Of a scalar. Lists, maps and bytes without content are not dropped here: see `dropEmpty`. */
function isZero(node: Node, value: Json): boolean {
  switch (node.kind) {
    case "list":
    case "map":
    case "bytes":
    case "struct":
    case "opaque":
    case "quantity":
      return false;
    default:
      return value === "" || value === 0 || value === false;
  }
}

/** What stands for a field that is always written and was not set. */
export function zeroOf({ node, pointer }: Field): Json {
  return pointer ? null : zeroValue(node);
}

/** Bytes in a list or map are written, null or not. */
const zeroItem = (node: Node): Json => (node.kind === "bytes" ? "" : zeroValue(node));

/** What decoding an object without a member gives. */
export function zeroObjectOf(schema: string | Schema): JsonObject {
  const zero = zeroValue(nodeOf(schema));
  return zero === null ? {} : (zero as JsonObject);
}

function zeroValue(node: Node): Json {
  switch (node.kind) {
    case "struct": {
      const zero: JsonObject = {};
      for (const field of node.always) zero[field.name] = zeroOf(field);
      return zero;
    }
    case "string":
      return "";
    case "boolean":
      return false;
    case "int32":
    case "int64":
    case "number":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    default:
      return null;
  }
}
