import type { JsonObject } from "../../shared/api/json.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import type { ResourceFacts } from "../../shared/schema/index.ts";
import { checkTypeMeta, type ExpectedKind, expectedKindOf, parseBody } from "./decode.ts";
import type { WriteOptions } from "./query-options.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { strategyFor } from "./strategy/index.ts";

/**
 * The object in a request's body, with its defaults.
 * @throws ApiError 400 for what is not of the kind, 415 for a type that cannot be read
 */
export async function readObject(
  request: ResourceRequest,
  _options: WriteOptions,
  expected: ExpectedKind = expectedKindOf(request.facts),
): Promise<KubeObject> {
  const text = await request.call.body();
  const object = checkTypeMeta(
    parseBody(text, request.call.headers.get("content-type"), expected.kind),
    expected,
    text,
  );
  return completeObject(request.facts, object as unknown as JsonObject);
}

/** Sets what a client may leave out. */
export function completeObject(facts: ResourceFacts, value: JsonObject): KubeObject {
  const object = value as unknown as KubeObject;
  strategyFor(facts).applyDefaults?.(object);
  return object;
}
