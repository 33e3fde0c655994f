import type { Json, JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { emptySet, type FieldSet, insertPath, recursiveDifference } from "./field-set.ts";

/** Fields of the server or of the object's identity. */
export const NEVER_OWNED = emptySet();
for (const field of ["apiVersion", "kind", "metadata"]) insertPath(NEVER_OWNED, [`f:${field}`]);
for (const field of [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
]) {
  insertPath(NEVER_OWNED, ["f:metadata", `f:${field}`]);
}

/** Leaves out whole fields: of the root by name, others by path (`metadata.labels`). */
export function ignoring(fields: readonly string[]): (set: FieldSet) => FieldSet {
  if (fields.length === 0) return (set) => set;
  const ignored = emptySet();
  for (const field of fields)
    insertPath(
      ignored,
      field.split(".").map((name) => `f:${name}`),
    );
  return (set) => recursiveDifference(set, ignored);
}

export function withoutManagedFields(object: KubeObject | JsonObject): Json {
  const { metadata, ...rest } = object as JsonObject & { metadata?: JsonObject };
  if (!metadata) return rest;
  const { managedFields: _managedFields, ...meta } = metadata;
  return { ...rest, metadata: meta };
}
