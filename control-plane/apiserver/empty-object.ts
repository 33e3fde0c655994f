import type { JsonObject } from "../../shared/api/json.ts";
import { decodeObject, type ResourceFacts } from "../../shared/schema/index.ts";

/** Kinds whose number of replicas is no pointer in upstream's own form. */
const COUNTED = new Set(["deployments", "replicasets", "statefulsets"]);

const known = new Map<string, JsonObject>();

/** The fields that an object of a kind with nothing in it has, its metadata aside: bookmarks carry them. */
export function emptyFieldsOf({ group, resource, schema }: ResourceFacts): JsonObject {
  let fields = known.get(schema);
  if (!fields) {
    const { metadata: _metadata, ...rest } = decodeObject(schema, { metadata: {} }, "Ignore").object;
    const isCounted = group === "apps" && COUNTED.has(resource);
    fields = isCounted ? { ...rest, spec: { replicas: 0, ...(rest.spec as JsonObject) } } : rest;
    known.set(schema, fields);
  }
  return fields;
}
