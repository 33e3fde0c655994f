import { isJsonObject, type Json, type JsonObject } from "../api/json.ts";
import { parseQuantity, printQuantity } from "../api/quantity.ts";
import { KIND_DEFAULTS } from "./facts/defaults.ts";
import type { Schema } from "./model.ts";
import { type Field, type Node, nodeOf, type StructNode } from "./node.ts";

/**
 * Sets the constants that fields of a kind take when they are not set, however deep, where the parent is there, and
 * rounds amounts of resources. Changes `object`, which shares no value with the schema. Defaults that depend on other
 * fields are the strategies'.
 * @param schema a definition's name, or a schema
 */
export function applyDefaults(schema: string | Schema, object: JsonObject): void {
  const node = nodeOf(schema);
  if (canDefault(node)) applyTo(node, object);
  const own = typeof schema === "string" ? KIND_DEFAULTS[schema] : undefined;
  if (own) applyOwn(own, object);
}

function applyTo(node: Node, value: Json): void {
  if (node.kind === "struct") {
    if (isJsonObject(value)) applyToStruct(node, value);
  } else if (node.kind === "list") {
    if (Array.isArray(value)) for (const item of value) applyTo(node.item, item);
  } else if (node.kind === "map") {
    if (!isJsonObject(value)) return;
    if (node.goType === RESOURCE_LIST) roundAmounts(value);
    else for (const key of Object.keys(value)) applyTo(node.value, value[key]!);
  }
}

/** Upstream rounds the amounts in these up to thousandths, for clients that knew nothing finer. */
const RESOURCE_LIST = "v1.ResourceList";
const FINER_THAN_MILLI = /[nu]$|[eE]-/;
const NANOS_PER_MILLI = 1_000_000n;

function roundAmounts(amounts: JsonObject): void {
  for (const key of Object.keys(amounts)) {
    const text = amounts[key];
    if (typeof text !== "string" || !FINER_THAN_MILLI.test(text)) continue;
    const { nanos, format } = parseQuantity(text);
    const excess = nanos % NANOS_PER_MILLI;
    if (excess === 0n) continue;
    const away = nanos > 0n ? NANOS_PER_MILLI : -NANOS_PER_MILLI;
    amounts[key] = printQuantity({ nanos: nanos - excess + away, format });
  }
}

function applyToStruct(node: StructNode, object: JsonObject): void {
  for (const field of defaultedFields(node)) {
    let value = object[field.name];
    if (field.default !== undefined && isUnset(field, value)) {
      value = copy(field.default as Json);
      object[field.name] = value;
    }
    if (value !== undefined && value !== null) applyTo(field.node, value);
  }
}

/** Zero counts as unset, unless upstream can tell it from nothing. */
function isUnset({ pointer }: Field, value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return !pointer && (value === "" || value === 0 || value === false || (Array.isArray(value) && value.length === 0));
}

const copy = (value: Json): Json => (typeof value === "object" ? (JSON.parse(JSON.stringify(value)) as Json) : value);

function applyOwn(own: Record<string, Record<string, unknown>>, object: JsonObject): void {
  for (const [part, defaults] of Object.entries(own)) {
    const target = object[part];
    if (!isJsonObject(target)) continue;
    for (const [field, value] of Object.entries(defaults)) target[field] ??= value as Json;
  }
}

/** The fields worth a visit: most parts of most kinds have no default at all. */
function defaultedFields(node: StructNode): Field[] {
  node.defaulted ??= [...node.fields.values()].filter((field) => field.default !== undefined || canDefault(field.node));
  return node.defaulted;
}

const answers = new Map<Node, boolean>();

/** Whether anything at or below a node has a default. A type that holds itself is taken to have none meanwhile. */
function canDefault(node: Node): boolean {
  const known = answers.get(node);
  if (known !== undefined) return known;
  answers.set(node, false);
  const answer =
    node.kind === "struct"
      ? [...node.fields.values()].some((field) => field.default !== undefined || canDefault(field.node))
      : node.kind === "list"
        ? canDefault(node.item)
        : node.kind === "map" && (node.goType === RESOURCE_LIST || canDefault(node.value));
  answers.set(node, answer);
  return answer;
}
