import { isEmptyMap } from "../../../shared/schema/index.ts";

/**
 * Equality as upstream compares objects (apiequality.Semantic): an absent field, null, an empty list and an empty map
 * are the same; the order of fields does not matter.
 */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isAbsent(a) && isAbsent(b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const key in a) if (!isEqual(a[key], b[key])) return false;
  for (const key in b) if (!(key in a) && !isAbsent(b[key])) return false;
  return true;
}

const isAbsent = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0) || isEmptyMap(value);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
