import type { Json, JsonObject } from "../api/json.ts";
import { type Field, type Node, nodeOf, type StructNode } from "./node.ts";

/**
 * Which empty values go: maps alone, or lists and bytes as well. `stored` also turns those that are written even when
 * they are empty into null, which is what upstream's storage keeps of them.
 */
export type Emptied = "maps" | "unwritten" | "stored";

/**
 * Takes lists, maps and bytes without content out of an object. A client may tell `[]` from nothing, and so do the
 * decoder, the defaults, the owners of fields and validation; storage does not.
 * @param schema a definition's name
 * @param object changed in place
 */
export function dropEmpty(schema: string, object: JsonObject, what: Emptied): void {
  const node = nodeOf(schema);
  if (node.kind === "struct") dropFrom(node, object, what);
}

function dropFrom(node: StructNode, object: JsonObject, what: Emptied): void {
  for (const key in object) {
    const field = node.fields.get(key);
    const value = object[key];
    if (field === undefined || value === undefined || value === null) continue;
    if (isEmptyContainer(field, value)) drop(field, object, what);
    else dropBelow(field.node, value, what);
  }
}

function drop({ name, node, always }: Field, object: JsonObject, what: Emptied): void {
  if (what === "maps" && node.kind !== "map") return;
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

function dropBelow(node: Node, value: Json, what: Emptied): void {
  if (node.kind === "struct") dropFrom(node, value as JsonObject, what);
  else if (node.kind === "list") {
    if (isDeep(node.item)) for (const item of value as Json[]) if (item !== null) dropBelow(node.item, item, what);
  } else if (node.kind === "map" && isDeep(node.value)) {
    for (const item of Object.values(value as JsonObject)) if (item !== null) dropBelow(node.value, item, what);
  }
}

const isDeep = ({ kind }: Node) => kind === "struct" || kind === "list" || kind === "map";
