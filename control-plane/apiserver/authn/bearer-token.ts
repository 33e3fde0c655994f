import type { CallHeaders } from "../request-head.ts";

/** Browsers cannot set headers on a WebSocket: they send the token as a subprotocol with this prefix. */
const SUBPROTOCOL_PREFIX = "base64url.bearer.authorization.k8s.io.";

/**
 * The bearer token a request carries; undefined when there is none (another scheme is no token, and no error).
 * Only the first word after the scheme counts, as upstream's request authenticator has it.
 */
export function bearerToken(headers: Pick<CallHeaders, "get">): string | undefined {
  const authorization = headers.get("authorization");
  if (authorization) {
    const [scheme, token] = authorization.trim().split(" ", 3);
    if (token && scheme?.toLowerCase() === "bearer") return token;
  }
  const protocols = headers.get("sec-websocket-protocol");
  return protocols ? subprotocolToken(protocols) : undefined;
}

function subprotocolToken(protocols: string): string | undefined {
  const offered = protocols.split(",").map((protocol) => protocol.trim());
  const encoded = offered.find((protocol) => protocol.startsWith(SUBPROTOCOL_PREFIX))?.slice(SUBPROTOCOL_PREFIX.length);
  if (!encoded) return undefined;
  try {
    return atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined; // not base64: upstream ignores it too
  }
}
