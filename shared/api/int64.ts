export const MAX_INT64 = 2n ** 63n - 1n;

/** Longer texts with leading zeros are of no use to anyone. */
const MAX_CHARS = 64;

/**
 * A decimal int64, in the syntax and range of Go's `strconv.ParseInt`: a number would round the large ones.
 * @returns undefined when the text is none
 */
export function parseInt64(text: string): bigint | undefined {
  if (text.length > MAX_CHARS || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return value <= MAX_INT64 && value >= -MAX_INT64 - 1n ? value : undefined;
}
