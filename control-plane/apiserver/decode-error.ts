import { badRequest } from "../../shared/api/status.ts";

/** How much of a body a message shows. */
const SHOWN_BYTES = 30;

/** A body as upstream's message shows it: text if it is an object, hexadecimal otherwise. */
function summarize(text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, SHOWN_BYTES * 4));
  if (bytes.length === 0) return "<empty>";
  const shown = bytes.slice(0, SHOWN_BYTES);
  const more = bytes.length > SHOWN_BYTES ? " ..." : "";
  if (text.startsWith("{")) return new TextDecoder().decode(shown) + more;
  return Array.from(shown, (byte) => byte.toString(16).padStart(2, "0")).join("") + more;
}

/** The body does not even tell its kind. */
export const unrecognized = (kind: string, why: string, body: string) =>
  badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summarize(body)})`);

export const TYPE_META_FIELDS =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

export const jsonParseError = (detail: string) => `couldn't get version/kind; json parse error: ${detail}`;

/** What Go's decoder calls a JSON value. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  return typeof value === "boolean" ? "bool" : typeof value;
}
