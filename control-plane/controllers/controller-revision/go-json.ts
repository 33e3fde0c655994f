/** What Go's encoding/json escapes in strings, beside what JSON asks for. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/**
 * JSON as Go writes a map: keys sorted by their bytes, no spaces, `<`, `>`, `&` and two line separators escaped. The
 * hashes in the names of ControllerRevisions are taken over this text. Undefined members are left out.
 */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(",")}]`;
  if (value === null || typeof value !== "object") return scalar(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => compareBytes(a, b))
    .map(([key, member]) => `${scalar(key)}:${goJson(member)}`);
  return `{${members.join(",")}}`;
}

const scalar = (value: unknown): string =>
  JSON.stringify(value ?? null).replace(ESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

const encoder = new TextEncoder();

/** UTF-16 and UTF-8 sort characters beyond the basic plane differently. */
function compareBytes(a: string, b: string): number {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
