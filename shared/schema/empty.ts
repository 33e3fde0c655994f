import type { Json, JsonObject } from "../api/json.ts";
import { type Field, type Node, nodeOf, type StructNode } from "./node.ts";

/**
 * What becomes of empty lists, maps and bytes: `unwritten` drops those that are not always written, `owned` leaves what
 * is in atomic lists (upstream compares those by Go's own equality), `stored` also turns those that are always written
 * into null, which is what upstream's storage keeps of them.
 */
export type Emptied = "unwritten" | "owned" | "stored";

const emptyMaps = new WeakSet<object>();

/** Whether `{}` is a map without content, as far as `markEmptyMaps` has seen it: a struct without content looks the same. */
export const isEmptyMap = (value: unknown): boolean =>
  typeof value === "object" && value !== null && emptyMaps.has(value);

/** Lets `isEmptyMap` know the empty maps of an object: they are equal to none, and are printed as they are. */
export function markEmptyMaps(schema: string, object: JsonObject): void {
  visitEmpty(nodeOf(schema), object, {}, (field, holder) => {
    if (field.node.kind === "map") emptyMaps.add(holder[field.name] as JsonObject);
  });
}

/**
 * Takes lists, maps and bytes without content out of an object. A client may tell `[]` from nothing, and so do the
 * decoder, the defaults, the owners of fields and validation; storage does not.
 * @param schema a definition's name
 * @param object changed in place
 */
export function dropEmpty(schema: string, object: JsonObject, what: Emptied): void {
  visitEmpty(nodeOf(schema), object, { skipsAtomic: what === "owned" }, (field, holder) => drop(field, holder, what));
}

type Visit = (field: Field, holder: JsonObject) => void;

interface Scope {
  /** What is in atomic lists is left alone. */
  skipsAtomic?: boolean;
}

/** Shows each field that holds a list, map or bytes without content. */
function visitEmpty(node: Node, value: Json, scope: Scope, visit: Visit): void {
  if (node.kind === "struct") visitFields(node, value as JsonObject, scope, visit);
  else if (node.kind === "list") {
    if (!isDeep(node.item) || (scope.skipsAtomic && node.isAtomic)) return;
    for (const item of value as Json[]) if (item !== null) visitEmpty(node.item, item, scope, visit);
  } else if (node.kind === "map" && isDeep(node.value)) {
    for (const item of Object.values(value as JsonObject))
      if (item !== null) visitEmpty(node.value, item, scope, visit);
  }
}

function visitFields(node: StructNode, object: JsonObject, scope: Scope, visit: Visit): void {
  for (const key in object) {
    const field = node.fields.get(key);
    const value = object[key];
    if (field === undefined || value === undefined || value === null) continue;
    if (isEmptyContainer(field, value)) visit(field, object);
    else visitEmpty(field.node, value, scope, visit);
  }
}

function drop({ name, node, always }: Field, object: JsonObject, what: Emptied): void {
  if (!always) delete object[name];
  else if (what === "stored" && node.kind !== "bytes") object[name] = null;
}

function isEmptyContainer({ node, pointer }: Field, value: Json): boolean {
  if (pointer) return false;
  if (node.kind === "list") return Array.isArray(value) && value.length === 0;
  if (node.kind === "bytes") return value === "";
  if (node.kind !== "map") return false;
  for (const _key in value as JsonObject) return false;
  return true;
}

const isDeep = ({ kind }: Node) => kind === "struct" || kind === "list" || kind === "map";
