/** Of one hop only (RFC 9110 §7.6.1), or written anew for the next hop. */
const NOT_FORWARDED = new Set([
  "connection",
  "content-length",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Only the front door itself may send these. */
const OWN_PREFIX = "x-hearth-";

export interface ForwardedHeaders {
  /** Complete lines, each with its line end. */
  lines: string;
  /** The body's length; -1 when it comes in chunks, 0 when there is none. */
  bodyBytes: number;
}

/**
 * The headers of a request for the next hop.
 * @param raw name, value, name, value; HTTP/2's pseudo-headers among them are turned into their HTTP/1.1 form
 * @param own lines that the front door adds
 */
export function forwardHeaders(raw: readonly string[], own: string): ForwardedHeaders {
  let lines = own;
  let bodyBytes = 0;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!;
    const value = raw[i + 1]!;
    if (name.charCodeAt(0) === COLON) {
      if (name === ":authority") lines += `Host: ${value}\r\n`;
      continue;
    }
    const lower = name.toLowerCase();
    if (lower === "content-length") bodyBytes = Number(value);
    else if (lower === "transfer-encoding") bodyBytes = -1;
    if (NOT_FORWARDED.has(lower) || lower.startsWith(OWN_PREFIX)) continue;
    lines += `${name}: ${value}\r\n`;
  }
  return { lines, bodyBytes };
}

const COLON = ":".charCodeAt(0);

/** Whether a text may stand in a request line or header: nghttp2 checks it too, but a line end here is a second request. */
export const isPlainLine = (text: string): boolean => !/[\r\n\0]/.test(text);

/** The methods of the API; workerd knows a few more, and refuses the rest with a text of its own. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
export const isForwarded = (method: string): boolean => METHODS.has(method);
