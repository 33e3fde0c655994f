import { isJsonObject, type Json } from "../../shared/api/json.ts";

/** A copy of a JSON value; objects that a strategy may change must not be shared. */
export const copyJson = <T>(value: T): T => structuredClone(value);

/**
 * Whether two objects are the same once written: an undefined member is no member, and the order of keys is of no
 * account.
 */
export function sameObject(a: unknown, b: unknown): boolean {
  return same(a as Json | undefined, b as Json | undefined);
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  for (const key in a) if (!same(a[key], b[key])) return false;
  for (const key in b) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}
