import { RESOURCES, resolve } from "../../../../shared/schema/index.ts";
import type { Schema } from "../../../../shared/schema/model.ts";

/** A field's schema with what stands beside its reference, and the one behind the reference. */
export interface FieldSchema {
  own: Schema;
  behind: Schema;
}

/** @param path from the definition of that name on; a number is any item of a list */
export function schemaAt(definition: string, path: (string | number)[]): FieldSchema {
  let own: Schema = { $ref: definition };
  for (const step of path) {
    const parent = resolve(own);
    own = (typeof step === "number" ? parent.items : (parent.properties?.[step] ?? parent.additionalProperties))!;
  }
  return { own, behind: resolve(own) };
}

/** The types that a field can have for server-side apply, as the published schemas have them. */
export function applyTypeOf(own: Schema, behind: Schema): string {
  const mapType = own.mapType ?? behind.mapType ?? "granular";
  if (behind.preserveUnknownFields) return "free form";
  if (behind.properties) return `${mapType} struct`;
  if (behind.additionalProperties) return `${mapType} map`;
  if (behind.type !== "array") return "scalar";
  const listType = own.listType ?? behind.listType ?? "atomic";
  const items = behind.items && resolve(behind.items);
  if (listType === "map") return `list by ${keysOf(own.listMapKeys ?? behind.listMapKeys ?? [], items)}`;
  return listType === "set" ? "set" : `atomic list of ${items?.properties ? "objects" : "scalars"}`;
}

function keysOf(keys: string[], items: Schema | undefined): string {
  if (keys.length === 1) return "one key";
  return keys.some((key) => items?.properties?.[key]?.default !== undefined)
    ? "several keys with a default"
    : "several keys";
}

/** The types that a field can have for a strategic merge patch. */
export function mergeTypeOf(own: Schema, behind: Schema): string {
  const strategy = own.patchStrategy ?? behind.patchStrategy;
  if (behind.preserveUnknownFields) return "free form";
  if (behind.properties) return strategy ? `struct with ${strategy}` : "struct";
  if (behind.additionalProperties) return "map";
  if (behind.type !== "array") return "scalar";
  if (!strategy) return "replaced list";
  return `list with ${strategy}${(own.patchMergeKey ?? behind.patchMergeKey) ? " by key" : " of scalars"}`;
}

type TypeOf = (own: Schema, behind: Schema) => string;

/** Every type that some field of some kind has. */
export function typesOfAllKinds(typeOf: TypeOf): Set<string> {
  const types = new Set<string>();
  const seen = new Set<string>();
  const visit = (own: Schema): void => {
    const behind = resolve(own);
    types.add(typeOf(own, behind));
    if (own.$ref !== undefined) {
      if (seen.has(own.$ref)) return;
      seen.add(own.$ref);
    }
    for (const field of Object.values(behind.properties ?? {})) visit(field);
    if (behind.additionalProperties) visit(behind.additionalProperties);
    if (behind.items) visit(behind.items);
  };
  for (const { schema } of RESOURCES) visit({ $ref: schema });
  return types;
}

/** How many of these fields are of each type. */
export function countByType(fields: FieldSchema[], typeOf: TypeOf): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { own, behind } of fields) {
    const type = typeOf(own, behind);
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}
