import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";
import { isMarkedDefault } from "../../../shared/schema/index.ts";
import type { Schema } from "../../../shared/schema/model.ts";

/** Looks through `$ref`s; the field's own list or map type goes before that of the type it points to. */
export type Resolve = (schema: Schema) => Schema;

export type Shape =
  | { kind: "scalar" }
  | { kind: "struct"; field(name: string): Schema | undefined }
  | { kind: "map"; values: Schema | undefined }
  | { kind: "list"; items: Schema | undefined; element(item: Json): string | undefined };

/**
 * How the fields of a value are owned: one by one, or (scalar) all together. Atomic lists and maps, and what has no
 * schema, are owned whole.
 */
export function shapeOf(schema: Schema | undefined, resolve: Resolve): Shape {
  if (!schema) return { kind: "scalar" };
  const resolved = resolve(schema);
  const mapType = schema.mapType ?? resolved.mapType;
  if (resolved.properties && !resolved.preserveUnknownFields) {
    if (mapType === "atomic") return { kind: "scalar" };
    return { kind: "struct", field: (name) => ownField(resolved.properties!, name) };
  }
  if (resolved.additionalProperties) {
    return mapType === "atomic" ? { kind: "scalar" } : { kind: "map", values: resolved.additionalProperties };
  }
  if (resolved.type === "array") return listShape(schema, resolved, resolve);
  return { kind: "scalar" };
}

function listShape(field: Schema, resolved: Schema, resolve: Resolve): Shape {
  const listType = field.listType ?? resolved.listType;
  const items = resolved.items;
  if (listType === "set") {
    return { kind: "list", items, element: (item) => `v:${JSON.stringify(item)}` };
  }
  if (listType === "map") {
    const keys = [...(field.listMapKeys ?? resolved.listMapKeys ?? [])].sort();
    const defaults = defaultsOf(keys, items, resolve);
    return { kind: "list", items, element: (item) => keyElement(item, keys, defaults) };
  }
  return { kind: "scalar" };
}

/** `k:{"containerPort":80,"protocol":"TCP"}`; a key that is left out counts with its default. Undefined: no key at all. */
function keyElement(item: Json, keys: string[], defaults: JsonObject): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const values: JsonObject = {};
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : defaults[key];
    if (value !== undefined) values[key] = value;
  }
  return Object.keys(values).length === 0 ? undefined : `k:${JSON.stringify(values)}`;
}

/** A key that is always written, or is marked with no value, has its zero for a default. */
function defaultsOf(keys: string[], items: Schema | undefined, resolve: Resolve): JsonObject {
  const defaults: JsonObject = {};
  for (const key of keys) {
    const schema = items && resolve(items).properties?.[key];
    const isZero = (schema?.always && !schema.pointer) || isMarkedDefault(items?.$ref ?? "", key);
    const value = schema?.default ?? (isZero ? ZEROS[schema?.type ?? ""] : undefined);
    if (value !== undefined) defaults[key] = value as Json;
  }
  return defaults;
}

const ZEROS: Partial<Record<string, Json>> = { string: "", integer: 0 };

function ownField(properties: Record<string, Schema>, name: string): Schema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
