import { goJson } from "../../../shared/api/field-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { MAX_ANNOTATION_BYTES } from "../../../shared/api/object-meta.ts";
import { utf8Length } from "../../../shared/api/utf8.ts";
import type { Schema } from "../../../shared/schema/model.ts";
import { checkConfig, fieldsOfConfig } from "./applied-config.ts";
import { compareFields } from "./compare.ts";
import { difference, emptySet, type FieldSet } from "./field-set.ts";
import { withoutManagedFields } from "./ownership.ts";
import type { Resolve } from "./path-element.ts";

/** The manager whose applies take over from kubectl's client-side apply; others name themselves otherwise. */
export const KUBECTL = "kubectl";

/** What client-side apply leaves behind: the configuration that was applied last, as JSON. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

interface Typed {
  schema: Schema;
  resolve: Resolve;
  apiVersion: string;
}

/**
 * The fields that client-side apply set and that are still as it set them: kubectl may take them from their owner
 * without asking. Empty when there was no such apply, or none that can be read.
 */
export function clientSideApplied(live: KubeObject, { schema, resolve, apiVersion }: Typed): FieldSet {
  const applied = parseObject(live.metadata.annotations?.[LAST_APPLIED]);
  if (applied?.["apiVersion"] !== apiVersion || checkConfig(applied, schema, resolve)) return emptySet();
  const { added, modified, removed } = compareFields(applied, withoutManagedFields(live), schema, resolve);
  const fields = fieldsOfConfig(applied, schema, resolve);
  return [added, modified, removed].reduce(difference, fields);
}

function parseObject(text: string | undefined): JsonObject | undefined {
  if (!text) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // anybody can write the annotation: without sense it counts as absent
  }
}

/** Brings the annotation of an object that has one up to date, so that going back to client-side apply works too. */
export function refreshLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const metadata = object["metadata"];
  if (!isJsonObject(metadata) || !isJsonObject(metadata["annotations"])) return object;
  const { [LAST_APPLIED]: last, ...others } = metadata["annotations"];
  if (!last) return object;
  const text = `${printSorted(withoutAnnotation(config))}\n`;
  const annotations = { ...others, [LAST_APPLIED]: text };
  const bytes = Object.entries(annotations).reduce((sum, [key, value]) => sum + utf8Length(key + value), 0);
  return { ...object, metadata: { ...metadata, annotations: bytes > MAX_ANNOTATION_BYTES ? others : annotations } };
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const { metadata } = config;
  if (!isJsonObject(metadata) || !isJsonObject(metadata["annotations"])) return config;
  const { [LAST_APPLIED]: _last, ...annotations } = metadata["annotations"];
  return { ...config, metadata: { ...metadata, annotations } };
}

/** As Go writes it: keys in order. */
const printSorted = (value: JsonObject): string => goJson(sorted(value));

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member as Json)]));
}
