import { messageOf } from "../message-of.ts";
import { type DialTarget, type HeadMeta, type OpenMeta, TunnelError } from "./meta.ts";
import type { Multiplexer } from "./multiplexer.ts";
import type { TunnelStream } from "./stream.ts";

export interface TunnelRequest {
  /** Whose it is: our own (the default), or that of somebody who is in its headers. */
  kind?: "request" | "forward";
  method: OpenMeta["method"];
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  /** Of an agent: the server that it is to ask. Absent: the peer itself. */
  target?: DialTarget;
  body?: string | ReadableStream<Uint8Array>;
  signal?: AbortSignal;
}

export interface TunnelResponse extends HeadMeta {
  /** Read it to the end or cancel it: cancelling ends the exchange. */
  body: ReadableStream<Uint8Array>;
}

/**
 * One HTTP-like exchange over the tunnel. Resolves with the head; the body streams.
 * @throws TunnelError if the exchange fails before the head arrives; the signal's reason if it was aborted
 */
export async function requestThrough(mux: Multiplexer, request: TunnelRequest): Promise<TunnelResponse> {
  request.signal?.throwIfAborted();
  const { body, signal } = request;
  const stream = mux.openStream(openMetaOf(request), { hasBody: body !== undefined });
  const onAbort = () => stream.reset("cancelled", "the request was aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  void stream.closed.then(() => signal?.removeEventListener("abort", onAbort));
  // A failure of the request's body shows in the stream's own: the head or the body of the answer rejects.
  if (body !== undefined) void sendBody(stream, body).catch(() => {});
  try {
    const head = await stream.head;
    return { ...head, body: stream.readable };
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** What is asked, as an OPEN frame says it. */
export function openMetaOf({
  kind = "request",
  method,
  path,
  headers,
  target,
}: Pick<TunnelRequest, "kind" | "method" | "path" | "headers" | "target">): OpenMeta {
  return target ? { kind: "dial", target, method, path, headers } : { kind, method, path, headers };
}

/**
 * Answers a stream: the head, then the body to its end. Resolves when the exchange is over; a failing body resets the
 * stream, so that the peer never takes a broken answer for a whole one.
 */
export async function answerStream(
  stream: TunnelStream,
  response: HeadMeta & { body: ReadableStream<Uint8Array> | string | null },
): Promise<void> {
  stream.respond({ status: response.status, headers: response.headers });
  await sendBody(stream, response.body ?? "");
}

async function sendBody(stream: TunnelStream, body: ReadableStream<Uint8Array> | string): Promise<void> {
  if (typeof body !== "string") {
    try {
      await pump(body, stream);
    } catch (error) {
      stream.reset("internal", messageOf(error));
    }
    return;
  }
  const writer = stream.writable.getWriter();
  if (body !== "") await writer.write(new TextEncoder().encode(body));
  await writer.close();
}

/** As pipeTo, yet ends at once when the exchange does, even while the source is silent (a watch). */
async function pump(source: ReadableStream<Uint8Array>, stream: TunnelStream): Promise<void> {
  const reader = source.getReader();
  const writer = stream.writable.getWriter();
  writer.closed.catch(() => {});
  void stream.closed.then(() => reader.cancel(new TunnelError("cancelled", "the exchange is over")).catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (stream.isOver) return;
    if (done) break;
    await writer.write(value);
  }
  await writer.close();
}
