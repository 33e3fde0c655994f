import type { IncomingHttpHeaders } from "node:http";
import type { OpenMeta } from "../../shared/tunnel/index.ts";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Of one hop only (RFC 9110 §7.6.1). `upgrade` is passed on: for the API, which answers to it, though the next hop is none
 * of HTTP.
 */
const OF_ONE_HOP = new Set([
  "connection",
  "content-length",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
]);

/** What only a front may say of who asks. */
const OF_FRONTS = /^x-(hearth|remote)-/;

/** The head of a caller's request as a stream carries it; undefined for a method that the API does not have. */
export function forwardedHead(
  method: string,
  path: string,
  headers: IncomingHttpHeaders,
): (OpenMeta & { kind: "forward" }) | undefined {
  if (!METHODS.has(method)) return undefined;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":") || OF_ONE_HOP.has(name) || OF_FRONTS.test(name)) continue;
    kept[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const authority = headers[":authority"];
  if (typeof authority === "string") kept["host"] = authority;
  return { kind: "forward", method: method as OpenMeta["method"], path, headers: kept };
}

/** The headers of an answer for the caller's connection, whose framing is this node's. */
export const answeredHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_HOP.has(name) && name !== "upgrade"));
