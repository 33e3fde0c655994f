import { definitionsJson } from "../../generated/definitions.ts";
import type { Definitions, Schema } from "./model.ts";

let parsed: Definitions | undefined;

/** The structural schemas of the built-in kinds; parsed when first asked for. Shared: do not change them. */
export function definitions(): Definitions {
  parsed ??= JSON.parse(definitionsJson()) as Definitions;
  return parsed;
}

/**
 * The schema of a definition by upstream's name, e.g. `io.k8s.api.core.v1.Pod`.
 * @throws Error if there is none: names come from our own tables
 */
export function schemaOf(name: string): Schema {
  const schema = definitions()[name];
  if (!schema) throw new Error(`no definition ${name}`);
  return schema;
}

/** Follows `$ref`. What stands beside the reference (list type, patch strategy …) is of the field, not of the result. */
export function resolve(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : schemaOf(schema.$ref);
}

/**
 * The schema of one field of an object or key of a map, not resolved, so that merge facts beside a reference are seen.
 * Undefined: the field is not known (or the object is free-form).
 */
export function fieldSchema(schema: Schema, key: string): Schema | undefined {
  const { properties, additionalProperties } = resolve(schema);
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  return additionalProperties;
}
