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
export const answerAgent = (stream: TunnelStream, serve: (request: Request) => Promise<Response>): Promise<void> =>
  answerWith(stream, () => serve(requestOf(stream, { url: API_ORIGIN + stream.meta.path, dropped: DROPPED_HEADERS })));

/** Answers a stream with what comes of its request; a WebSocket is joined to it by `join`, if there may be one. Never rejects. */
export async function answerWith(
  stream: TunnelStream,
  respond: () => Promise<Response>,
  join?: (socket: WebSocket, headers: Record<string, string>) => Promise<void>,
): Promise<void> {
  try {
    const response = await respond();
    const headers = headersOf(response.headers);
    if (response.webSocket && join) return await join(response.webSocket, headers);
    const body = response.body as ReadableStream<Uint8Array> | null;
    if (stream.isOver) {
      await body?.cancel();
      return;
    }
    await answerStream(stream, { status: response.status, headers, body });
  } catch (error) {
    console.error("a request from a node failed", { path: stream.meta.path, error });
    stream.reset("internal", "the request could not be served");
  }
}

/** The request of a stream, without the headers that are not its sender's to give. */
export function requestOf(stream: TunnelStream, { url, dropped }: { url: string; dropped: RegExp }): Request {
  const { method, headers } = stream.meta;
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url, {
    method,
    headers: Object.entries(headers).filter(([name]) => !dropped.test(name.toLowerCase())),
    signal: stream.signal,
    ...(hasBody ? { body: stream.readable } : {}),
  });
}

/** Header names in lower case, as a stream carries them. */
export function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(headers);
}

/** An object of the API, for the session's own use. @returns undefined if there is none. @throws Error if it cannot be had */
export async function askAs(serve: (request: Request) => Promise<Response>, path: string): Promise<unknown> {
  const response = await serve(new Request(API_ORIGIN + path, { headers: { accept: "application/json" } }));
  if (response.ok) return response.json();
  await response.body?.cancel();
  if (response.status === 404) return undefined;
  throw new Error(`the API answers ${response.status}`);
}
