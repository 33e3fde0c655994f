import { isJsonObject, type Json, type JsonObject, setOwn } from "../../../shared/api/json.ts";

/**
 * JSON merge patch. The target is left alone; the result may share parts with both arguments.
 * @see RFC 7396
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key]!;
    if (value === null) delete result[key];
    else setOwn(result, key, mergePatch(Object.hasOwn(result, key) ? result[key] : undefined, value));
  }
  return result;
}
