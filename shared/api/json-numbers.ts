import type { Json } from "./json.ts";

/** What a number's own spelling is told by (ECMAScript's "JSON.parse source text access"). */
export type NumberReviver = (this: object, key: string, value: unknown, context: { source?: string }) => unknown;

/** A number with a point, an exponent or more digits than a double holds; a few strings look like one, to no harm. */
const UNUSUAL = /(?:"\s*:|[[,])\s*-?(?:\d+[.eE]|\d{16})/;

const spellings = new WeakMap<object, Map<string, string>>();

/**
 * `JSON.parse` that remembers how numbers were written where it is not as they would be printed: Go's decoder takes 1.0
 * for no integer, and its messages show what was sent.
 * @throws SyntaxError for what is no JSON
 */
export function parseJsonNumbers(text: string): Json {
  if (!UNUSUAL.test(text)) return JSON.parse(text) as Json;
  return JSON.parse(text, spellingKeeper() as (this: unknown, key: string, value: unknown) => unknown) as Json;
}

/** Of one text. More than an object has of such numbers; each takes some 100 bytes, which a body of nothing else would not fit. */
const MAX_SPELLINGS = 10_000;

function spellingKeeper(): NumberReviver {
  let left = MAX_SPELLINGS;
  return function (key, value, { source }) {
    if (typeof value === "number" && source !== undefined && source !== String(value) && left-- > 0) {
      const known = spellings.get(this) ?? new Map<string, string>();
      spellings.set(this, known.set(key, source));
    }
    return value;
  };
}

/** How a member of an object or list that `parseJsonNumbers` made was written; undefined: as it is printed. */
export const spellingOf = (holder: object, key: string | number): string | undefined =>
  spellings.get(holder)?.get(String(key));
