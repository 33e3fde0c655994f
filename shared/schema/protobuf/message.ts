import { isJsonObject, type Json, type JsonObject } from "../../api/json.ts";
import { definitions } from "../definitions.ts";
import { PROTOBUF_FIELDS } from "../facts/protobuf-fields.ts";
import type { Schema } from "../model.ts";
import { WireType } from "./reader.ts";

/** A message made ready for decoding and encoding: what the table says of its fields, joined with the schema of each. */
export interface Message {
  /** As errors call it: `Pod`. */
  name: string;
  /** The Go package in which upstream declares it, as definitions begin. */
  packageName: string;
  /** By number. */
  fields: (Field | undefined)[];
  /** Makes a type that is no object in JSON of the message's fields. */
  unwrap?: (fields: JsonObject) => Json;
  /** The reverse: the fields of what is no object in JSON. */
  wrap?: (value: Json) => JsonObject;
}

export interface Field {
  /** The JSON name; for an inlined message its own name, which only errors show. */
  name: string;
  /** `inline`: the message's fields are the outer object's own in JSON. */
  shape: "one" | "list" | "map" | "inline";
  /** The type of the value, of a list's items or of a map's values. */
  type: Type;
  /** Zero is a value of its own. */
  isPointer: boolean;
  /** Go always has it, so that it is written even when it is empty. */
  isByValue: boolean;
}

export type Type = { kind: LeafKind; wireType: number } | { kind: "message"; wireType: number; message: Message };

export type LeafKind =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "double"
  | "bytes"
  | "time"
  | "microTime"
  | "quantity"
  | "intOrString"
  | "json";

const LEAVES: Record<string, [kind: LeafKind, wireType: number]> = {
  "string/": ["string", WireType.bytes],
  "string/byte": ["bytes", WireType.bytes],
  "string/date-time": ["time", WireType.bytes],
  "string/micro-time": ["microTime", WireType.bytes],
  "string/quantity": ["quantity", WireType.bytes],
  "string/int-or-string": ["intOrString", WireType.bytes],
  "boolean/": ["boolean", WireType.varint],
  "integer/": ["int64", WireType.varint],
  "integer/int32": ["int32", WireType.varint],
  "integer/int64": ["int64", WireType.varint],
  "number/": ["double", WireType.fixed64],
  "number/double": ["double", WireType.fixed64],
};

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const CRD = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Types that hold JSON as it is, in their one field. */
const JSON_TYPES = new Set([
  "io.k8s.apimachinery.pkg.runtime.RawExtension",
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1",
  `${CRD}.JSON`,
]);

const SCHEMA: Schema = { $ref: `${CRD}.JSONSchemaProps` };

/** A schema or something else: fields 1 and 2, of which JSON shows one. */
interface Union extends Required<Pick<Message, "unwrap" | "wrap">> {
  fields: [name: string, schema: Schema][];
}

const schemaOrList = (value: Json): JsonObject => (Array.isArray(value) ? { list: value } : { schema: value });

const UNIONS: Record<string, Union> = {
  [`${CRD}.JSONSchemaPropsOrArray`]: {
    fields: [
      ["schema", SCHEMA],
      ["list", { type: "array", items: SCHEMA }],
    ],
    unwrap: ({ schema, list }) => list ?? schema ?? null,
    wrap: schemaOrList,
  },
  [`${CRD}.JSONSchemaPropsOrBool`]: {
    fields: [
      ["allows", { type: "boolean" }],
      ["schema", SCHEMA],
    ],
    unwrap: ({ schema, allows }) => schema ?? allows ?? false,
    wrap: (value): JsonObject => (isJsonObject(value) ? { allows: true, schema: value } : { allows: value }),
  },
  [`${CRD}.JSONSchemaPropsOrStringArray`]: {
    fields: [
      ["schema", SCHEMA],
      ["list", { type: "array", items: { type: "string" } }],
    ],
    unwrap: ({ schema, list }) => list ?? schema ?? null,
    wrap: schemaOrList,
  },
};

/** PartialObjectMetadata(List), which no document describes: metadata alone, or a list of such. */
export function partialMetadataMessage(isList: boolean): Message {
  const metadata = (of: string) => makeField("metadata", { $ref: `${META}.${of}`, always: true });
  const item: Message = {
    name: "PartialObjectMetadata",
    packageName: META,
    fields: [undefined, metadata("ObjectMeta")],
  };
  if (!isList) return item;
  const type: Type = { kind: "message", wireType: WireType.bytes, message: item };
  const items: Field = { name: "items", shape: "list", isPointer: false, isByValue: false, type };
  return { name: "PartialObjectMetadataList", packageName: META, fields: [undefined, metadata("ListMeta"), items] };
}

const messages = new Map<string, Message>();

/** The message of a definition; undefined if there is no such definition. One without numbers has no fields. */
export function messageOf(definition: string): Message | undefined {
  const known = messages.get(definition);
  if (known) return known;
  const schema = definitions()[definition];
  return schema && makeMessage(definition, schema);
}

function makeMessage(definition: string, schema: Schema): Message {
  const { packageName, name } = splitName(definition);
  const union = UNIONS[definition];
  const message: Message = {
    name,
    packageName,
    fields: [],
    ...(union ? { unwrap: union.unwrap, wrap: union.wrap } : {}),
  };
  // Before the fields are made: JSONSchemaProps holds itself.
  messages.set(definition, message);
  if (union) message.fields = [undefined, ...union.fields.map(([field, of]) => makeField(field, of))];
  else message.fields = makeFields(packageName, name, schema.properties ?? {});
  return message;
}

/** Every list has these. */
const LIST_NUMBERS: [field: string, number: number][] = [
  ["metadata", 1],
  ["items", 2],
];

/** @param properties of the object in JSON, which has the fields of inlined messages too */
function makeFields(packageName: string, name: string, properties: Record<string, Schema>): (Field | undefined)[] {
  const fields: (Field | undefined)[] = [];
  const numbers = properties["items"] && properties["metadata"] ? LIST_NUMBERS : numbersOf(`${packageName}.${name}`);
  for (const [field, number] of numbers) {
    fields[number] = field.startsWith("^")
      ? makeInline(packageName, field.slice(1), properties)
      : WRAPPED_LISTS.has(`${name} ${field}`)
        ? makeWrapped(field, properties[field]!)
        : makeField(field, properties[field]);
  }
  return fields;
}

/** Lists that are a type of their own in Go, and so a message. */
const WRAPPED_LISTS = new Set(["APIResource verbs"]);

const makeWrapped = (name: string, list: Schema): Field => ({
  name,
  shape: "one",
  isPointer: false,
  isByValue: false,
  type: wrappedList(list),
});

function makeInline(packageName: string, name: string, properties: Record<string, Schema>): Field {
  const message: Message = { name, packageName, fields: makeFields(packageName, name, properties) };
  return {
    name,
    shape: "inline",
    isPointer: false,
    isByValue: true,
    type: { kind: "message", wireType: WireType.bytes, message },
  };
}

/** Undefined for what the schema does not have: it is skipped. */
export function makeField(name: string, schema: Schema | undefined): Field | undefined {
  if (!schema) return undefined;
  const isPointer = schema.pointer === true;
  const common = { name, isPointer, isByValue: isByValue(name, schema) };
  if (schema.type === "array") return { ...common, shape: "list", type: typeOf(schema.items ?? {}) };
  if (schema.additionalProperties) return { ...common, shape: "map", type: typeOf(schema.additionalProperties) };
  return { ...common, shape: "one", type: typeOf(schema) };
}

/** A struct by value is known by JSON, which has to write it; but for one that vanishes there when it is zero. */
function isByValue(name: string, { $ref, format, always, pointer }: Schema): boolean {
  if ($ref !== undefined) return (always === true && !pointer) || name === "creationTimestamp";
  return !pointer && format !== "byte";
}

function typeOf(schema: Schema): Type {
  const { $ref } = schema;
  if ($ref !== undefined) {
    if (JSON_TYPES.has($ref)) return { kind: "json", wireType: WireType.bytes };
    const target = definitions()[$ref];
    const leaf = target && leafOf(target);
    if (leaf) return leaf;
    const message = messageOf($ref);
    if (!message) throw new Error(`no definition ${$ref}`);
    return { kind: "message", wireType: WireType.bytes, message };
  }
  if (schema.type === "array") return wrappedList(schema);
  const leaf = leafOf(schema);
  if (!leaf) throw new Error(`no protobuf form of ${JSON.stringify(schema)}`);
  return leaf;
}

/** A list within a map (ExtraValue), or one that is a type of its own, is a message with the one field `items`. */
function wrappedList(schema: Schema): Type {
  const message: Message = {
    name: "ExtraValue",
    packageName: "",
    fields: [undefined, makeField("items", schema)],
    unwrap: ({ items }) => items ?? [],
    wrap: (items) => ({ items }),
  };
  return { kind: "message", wireType: WireType.bytes, message };
}

function leafOf({ type, format = "" }: Schema): Type | undefined {
  const leaf = LEAVES[`${type}/${format}`];
  return leaf && { kind: leaf[0], wireType: leaf[1] };
}

function splitName(definition: string): { packageName: string; name: string } {
  const dot = definition.lastIndexOf(".");
  return { packageName: definition.slice(0, dot), name: definition.slice(dot + 1) };
}

const lines = new Map<string, string>();

/** The fields of a line of the table with their numbers. A package is taken apart when first asked for. */
function numbersOf(definition: string): [field: string, number: number][] {
  const { packageName } = splitName(definition);
  if (!lines.has(packageName)) {
    lines.set(packageName, "");
    for (const line of (PROTOBUF_FIELDS[packageName] ?? "").split("\n")) {
      const [name, rest] = splitOnce(line.trim());
      lines.set(`${packageName}.${name}`, rest);
    }
  }
  let number = 0;
  const fields = (lines.get(definition) ?? "").split(" ").filter((word) => word !== "");
  return fields.map((word) => {
    const [field, given] = word.split("=") as [string, string?];
    number = given === undefined ? number + 1 : Number(given);
    return [field, number];
  });
}

function splitOnce(line: string): [string, string] {
  const space = line.indexOf(" ");
  return space < 0 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
}
