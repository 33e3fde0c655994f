import { badRequest } from "../../../shared/api/status.ts";
import { parseInteger } from "../query-options.ts";

/*
 * Query parameters as upstream's conversion functions read them (apimachinery, runtime and meta/v1 conversion).
 */

/** Present and not `0` or `false`. */
export function booleanOf(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text !== "0" && text.toLowerCase() !== "false";
}

/** @throws ApiError 400 with the text of Go's strconv when it is no 64-bit integer */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  return parseInteger(query.get(name));
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** An RFC 3339 time, as it was given; undefined when it is absent or empty. @throws ApiError 400 */
export function timeOf(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  if (text === null || text === "" || text === "null") return undefined;
  if (!RFC3339.test(text) || Number.isNaN(Date.parse(text))) {
    const quoted = JSON.stringify(text);
    throw badRequest(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`);
  }
  return text;
}
