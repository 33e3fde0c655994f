/** Of a request: hop-by-hop (RFC 9110, section 7.6.1), and credentials for our API that are no server's business. */
const NOT_PASSED_ON =
  /^(authorization|connection|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|impersonate-.*|x-hearth-.*|x-remote-.*)$/;
/** Of an answer: that of our API to scripts of other origins is for no server to loosen. */
const CORS = ["credentials", "headers", "methods", "origin"].map((what) => `access-control-allow-${what}`);

/** What a client's body is said to be, which must not be said where none follows. */
const OF_THE_BODY = ["content-length", "content-type", "content-encoding"];

/** The platform sends no body with a GET; Kubernetes' own clients never do. */
export const mayHaveBody = ({ method }: Pick<Request, "method">): boolean => method !== "GET" && method !== "HEAD";

/** What of a client's headers a proxied server gets. The only upgrade that is passed on is to a WebSocket. */
export function requestHeaders(request: Pick<Request, "method" | "headers">): Headers {
  const kept = new Headers();
  for (const [name, value] of request.headers) {
    const isOfNoBody = !mayHaveBody(request) && OF_THE_BODY.includes(name);
    if (!NOT_PASSED_ON.test(name) && !isOfNoBody) kept.append(name, value);
  }
  if (isWebSocket(request.headers)) kept.set("upgrade", "websocket");
  return kept;
}

export const isWebSocket = (headers: Headers): boolean => headers.get("upgrade")?.toLowerCase() === "websocket";

/** What of a proxied server's headers the client gets. */
export function answerHeaders(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of CORS) kept.delete(name);
  return kept;
}
