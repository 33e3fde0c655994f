import type { Json, JsonObject } from "../../shared/api/json.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { applyDefaults, decodeObject, keepRepeatedKeys, type ResourceFacts } from "../../shared/schema/index.ts";
import { toStored } from "./conversion/index.ts";
import { checkTypeMeta, expectedKindOf, parseBody } from "./decode.ts";
import type { WriteOptions } from "./query-options.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { storageOf } from "./stores.ts";
import { strategyFor } from "./strategy/index.ts";
import { explainDuplicateKeys } from "./yaml/index.ts";

/**
 * The object in a request's body: decoded, with its defaults, in the stored form. Unknown and repeated fields become
 * warnings, or an error in Strict mode.
 * @throws ApiError 400 for what is not of the kind, 415 for a type that cannot be read
 */
export async function readObject(
  { call, facts, warnings }: ResourceRequest,
  { fieldValidation }: WriteOptions,
): Promise<KubeObject> {
  const text = await call.body(facts.kind);
  const contentType = call.headers.get("content-type");
  const parsed = parseBody(text, contentType, facts.kind);
  const isYaml = contentType?.includes("yaml") ?? false;
  const value = isYaml ? parsed : keepRepeatedKeys(text, parsed);
  const duplicates = isYaml && fieldValidation !== "Ignore" ? duplicatesInYaml(text, fieldValidation) : [];
  checkTypeMeta(value, expectedKindOf(facts), text);
  const { object, unknownFields } = decodeObject(facts.schema, orEmpty(value), fieldValidation, duplicates);
  for (const field of unknownFields) warnings.push(field);
  return completeObject(facts, object);
}

/** Upstream's text has several lines: one error in Strict mode, a warning each otherwise. */
function duplicatesInYaml(text: string, fieldValidation: "Warn" | "Strict"): string[] {
  const explained = explainDuplicateKeys(text);
  if (explained === undefined) return [];
  const [, ...lines] = explained.split("\n");
  return fieldValidation === "Strict" ? [explained] : lines.map((line) => line.trim());
}

/** `null` is an object without a field. */
const orEmpty = (value: Json): Json => value ?? {};

/** Sets what a client may leave out, and brings a decoded object into the stored form. */
export function completeObject(facts: ResourceFacts, object: JsonObject): KubeObject {
  applyDefaults(facts.schema, object);
  object.metadata ??= {};
  const stored = toStored(facts, object as unknown as KubeObject);
  strategyFor(storageOf(facts)).applyDefaults?.(stored, Date.now());
  return stored;
}
