import type { JsonObject } from "../../shared/api/json.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { applyDefaults, type ResourceFacts } from "../../shared/schema/index.ts";
import { toStored } from "./conversion/index.ts";
import type { WriteOptions } from "./query-options.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { storageOf } from "./stores.ts";
import { strategyFor } from "./strategy/index.ts";
import { readTyped } from "./typed-body.ts";

/**
 * The object in a request's body: decoded, with its defaults, in the stored form.
 * @throws ApiError as `readTyped` does
 */
export async function readObject(request: ResourceRequest, { fieldValidation }: WriteOptions): Promise<KubeObject> {
  return completeObject(request.facts, await readTyped(request, request.facts, fieldValidation));
}

/** Sets what a client may leave out, and brings a decoded object into the stored form. */
export function completeObject(facts: ResourceFacts, object: JsonObject): KubeObject {
  applyDefaults(facts.schema, object);
  object.metadata ??= {};
  const stored = toStored(facts, object as unknown as KubeObject);
  strategyFor(storageOf(facts)).applyDefaults?.(stored, Date.now());
  return stored;
}
