import { isJsonObject, type Json, type JsonObject, setOwn } from "../../../shared/api/json.ts";

/**
 * JSON merge patch. The target is left alone; the result may share parts with both arguments. Objects that the patch
 * went through have their keys in order, as the Go library that upstream uses writes them.
 * @see RFC 7396
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const old: JsonObject = isJsonObject(target) ? target : {};
  const merged: JsonObject = {};
  for (const key of [...new Set([...Object.keys(old), ...Object.keys(patch)])].sort()) {
    const before = Object.hasOwn(old, key) ? old[key] : undefined;
    if (!Object.hasOwn(patch, key)) setOwn(merged, key, before!);
    else if (patch[key] !== null) setOwn(merged, key, mergePatch(before, patch[key]!));
  }
  return merged;
}
