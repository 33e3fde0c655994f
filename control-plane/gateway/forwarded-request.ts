import { escapeTarget } from "../../shared/http-target.ts";
import { answerStream, type TunnelStream } from "../../shared/tunnel/index.ts";
import { headersOf } from "./agent-request.ts";
import { joinForwardedSocket } from "./forwarded-socket.ts";

/** By which address the caller named the API; what the API says of its own address has it. */
const HOST = /^[a-z0-9.-]{1,253}(:\d{1,5})?$|^\[[0-9a-f:.]{2,45}\](:\d{1,5})?$/i;
const DEFAULT_HOST = "kubernetes.default.svc";

/**
 * What only fronts may send, and what is of one connection. No length: whoever is told one believes it, and the body's own
 * end is what bounds it here.
 */
const DROPPED_HEADERS = /^(connection|content-length|host|keep-alive|transfer-encoding|x-hearth-.*|x-remote-.*)$/;

/**
 * Serves one stream that an agent opened for somebody on its node: the API as that caller has it, by the caller's own
 * credential (shared/tunnel, `forward`). Nothing of the node's identity is in it. Never rejects.
 */
export async function answerForwarded(
  stream: TunnelStream,
  serve: (request: Request) => Promise<Response>,
): Promise<void> {
  try {
    const response = await serve(forwardedRequest(stream));
    if (response.webSocket) return joinForwardedSocket(response.webSocket, stream, headersOf(response.headers));
    const body = response.body as ReadableStream<Uint8Array> | null;
    if (stream.isOver) {
      await body?.cancel();
      return;
    }
    await answerStream(stream, { status: response.status, headers: headersOf(response.headers), body });
  } catch (error) {
    console.error("a request passed on by an agent failed", { path: stream.meta.path, error });
    stream.reset("internal", "the request could not be served");
  }
}

function forwardedRequest(stream: TunnelStream): Request {
  const { method, path, headers } = stream.meta;
  const host = headers["host"] ?? "";
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(`https://${HOST.test(host) ? host : DEFAULT_HOST}${escapeTarget(path)}`, {
    method,
    headers: Object.entries(headers).filter(([name]) => !DROPPED_HEADERS.test(name.toLowerCase())),
    signal: stream.signal,
    ...(hasBody ? { body: stream.readable } : {}),
  });
}
