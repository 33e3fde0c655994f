import { answerStream, type TunnelStream } from "../../shared/tunnel/index.ts";

/** The requests of a node are not addressed to a host; this one stands in URLs and is seen by nobody. */
const API_ORIGIN = "http://api.hearth.internal";

/**
 * A request's identity is the tunnel's; a node may not put another one beside it. Nor a length: whoever is told one
 * believes it, and the body's own end is what bounds it here.
 */
const DROPPED_HEADERS = /^(authorization|content-length|impersonate-.*|x-hearth-.*|x-remote-.*)$/;

/**
 * Serves one stream that the agent opened as an API request: in this isolate, the answer's body streamed, cancelled when
 * the agent resets the stream. Never rejects.
 */
export async function answerAgent(stream: TunnelStream, serve: (request: Request) => Promise<Response>): Promise<void> {
  try {
    const response = await serve(requestOf(stream));
    const body = response.body as ReadableStream<Uint8Array> | null;
    if (stream.isOver) {
      await body?.cancel();
      return;
    }
    await answerStream(stream, { status: response.status, headers: headersOf(response.headers), body });
  } catch (error) {
    console.error("request of an agent failed", { path: stream.meta.path, error });
    stream.reset("internal", "the request could not be served");
  }
}

function requestOf(stream: TunnelStream): Request {
  const { method, path, headers } = stream.meta;
  const kept = Object.entries(headers).filter(([name]) => !DROPPED_HEADERS.test(name.toLowerCase()));
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(API_ORIGIN + path, {
    method,
    headers: kept,
    signal: stream.signal,
    ...(hasBody ? { body: stream.readable } : {}),
  });
}

/** Header names in lower case, as a stream carries them. */
export function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(headers);
}
