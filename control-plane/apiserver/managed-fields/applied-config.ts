import { isJsonObject, type Json } from "../../../shared/api/json.ts";
import type { Schema } from "../../../shared/schema/model.ts";
import { printGo } from "../patch/go-print.ts";
import { emptySet, type FieldSet, insertPath } from "./field-set.ts";
import { type Resolve, shapeOf } from "./path-element.ts";
import { printPath } from "./print-path.ts";

/**
 * Checks an applied object against the schema: unknown fields, wrong types, one key twice.
 * @returns upstream's text, undefined when all is well
 */
export function checkConfig(config: Json, schema: Schema, resolve: Resolve): string | undefined {
  const errors: string[] = [];
  check(config, schema, [], { resolve, errors });
  if (errors.length <= 1) return errors[0];
  return ["errors:", ...errors.map((error) => `  ${error}`)].join("\n");
}

interface Check {
  resolve: Resolve;
  errors: string[];
}

function check(value: Json | undefined, schema: Schema, path: string[], context: Check): void {
  if (value === null || value === undefined) return;
  const { resolve, errors } = context;
  const type = resolve(schema);
  const fail = (text: string) => errors.push(path.length === 0 ? text : `${printPath(path)}: ${text}`);
  if (type.preserveUnknownFields) return;
  if (type.properties || type.additionalProperties) {
    if (isJsonObject(value)) checkMembers(value, type, path, context);
    else fail(`expected map, got &{${printGo(value)}}`);
  } else if (type.type === "array") {
    if (Array.isArray(value)) checkItems(value, schema, type, path, context);
    else fail(`expected list, got &{${printGo(value)}}`);
  } else {
    const text = scalarError(value, type);
    if (text) fail(text);
  }
}

function checkMembers(value: { [key: string]: Json }, type: Schema, path: string[], context: Check): void {
  for (const [key, member] of Object.entries(value)) {
    const field =
      type.properties && Object.hasOwn(type.properties, key) ? type.properties[key] : type.additionalProperties;
    if (!field) {
      context.errors.push(`${printPath([...path, `f:${key}`])}: field not declared in schema`);
      return; // upstream stops at the first unknown field of an object
    }
    check(member, field, [...path, `f:${key}`], context);
  }
}

function checkItems(items: Json[], field: Schema, type: Schema, path: string[], context: Check): void {
  const shape = shapeOf(field, context.resolve);
  const seen = new Set<string>();
  items.forEach((item, index) => {
    const why = keylessItem(item, type, field);
    if (why) context.errors.push(`${printPath(path)}: element ${index}: ${why}`);
    if (why) return;
    const element = shape.kind === "list" ? shape.element(item) : `i:${index}`;
    if (element === undefined) {
      const keys = (field.listMapKeys ?? type.listMapKeys ?? []).map((key) => JSON.stringify(key)).join(" ");
      context.errors.push(
        `${printPath(path)}: element ${index}: associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`,
      );
      return;
    }
    if (seen.has(element)) {
      context.errors.push(`${printPath(path)}: duplicate entries for key ${printPath([element])}`);
    }
    seen.add(element);
    if (type.items) check(item, type.items, [...path, element], context);
  });
}

/** Why an item of a list that merges item by item cannot be told from the others. */
function keylessItem(item: Json, type: Schema, field: Schema): string | undefined {
  const listType = field.listType ?? type.listType;
  if (listType === "map") {
    if (item === null) return "associative list with keys may not have a null element";
    return isJsonObject(item) ? undefined : "associative list with keys may not have non-map elements";
  }
  if (listType !== "set") return undefined;
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (Array.isArray(item)) return "not supported: associative list with lists as elements";
  return isJsonObject(item) ? "associative list without keys has an element that's a map type" : undefined;
}

/** To upstream's schemas these are anything: the conversion to Go's types tells what they are not. */
const UNTYPED_FORMATS = new Set(["int-or-string", "date-time", "micro-time"]);

function scalarError(value: Json, { type, format }: Schema): string | undefined {
  const isScalar = !isJsonObject(value) && !Array.isArray(value);
  if (UNTYPED_FORMATS.has(format ?? "")) return undefined;
  if (format === "quantity") return isScalar ? undefined : `expected any scalar, got &{${printGo(value)}}`;
  if (isScalar && !type) return undefined;
  switch (type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${printGo(value)}}`;
    case "integer":
    case "number":
      return typeof value === "number" ? undefined : `expected numeric (int or float), got ${goNumericType(value)}`;
    case "string":
      return typeof value === "string" ? undefined : `expected string, got ${goValue(value)}`;
    default:
      return isScalar ? undefined : `expected scalar, got ${goValue(value)}`;
  }
}

function goNumericType(value: Json): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isJsonObject(value)) return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : "string";
}

/** As Go prints upstream's value wrapper; people find these texts in the wild. */
function goValue(value: Json): string {
  return `&value.valueUnstructured{Value:${goSyntax(value)}}`;
}

function goSyntax(value: Json): string {
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key]!)}`);
    return `map[string]interface {}{${members.join(", ")}}`;
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** Every field that an applied object names. A keyed list or a struct itself is not owned, only what is in it. */
export function fieldsOfConfig(config: Json, schema: Schema, resolve: Resolve): FieldSet {
  const set = emptySet();
  collect(config, schema, [], { set, resolve });
  return set;
}

function collect(
  value: Json,
  schema: Schema | undefined,
  path: string[],
  context: { set: FieldSet; resolve: Resolve },
): void {
  const { set, resolve } = context;
  const shape = shapeOf(schema, resolve);
  if (shape.kind === "scalar") {
    if (path.length > 0) insertPath(set, path);
  } else if (shape.kind === "list") {
    const items = Array.isArray(value) ? value : [];
    for (const item of items) {
      const element = shape.element(item);
      if (element === undefined) continue;
      insertPath(set, [...path, element]);
      collect(item, shape.items, [...path, element], context);
    }
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const field = shape.kind === "struct" ? shape.field(key) : shape.values;
      const at = [...path, `f:${key}`];
      collect(member, field, at, context);
      const isEmpty = member === null || (isJsonObject(member) && Object.keys(member).length === 0);
      if (isEmpty || shape.kind === "map") insertPath(set, at);
    }
  }
}
