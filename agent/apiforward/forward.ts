import { once } from "node:events";
import type { OutgoingHttpHeaders } from "node:http";
import type { Readable, Writable } from "node:stream";
import type { ApiError } from "../../shared/api/status.ts";
import { messageOf } from "../../shared/message-of.ts";
import { type Multiplexer, type OpenMeta, requestThrough, TunnelError } from "../../shared/tunnel/index.ts";
import { bodyOf } from "./body.ts";
import { answerFailure, BODY_TOO_SLOW, renderAnswer } from "./own-answer.ts";
import { answeredHeaders } from "./request-head.ts";

/** Where the answer goes, HTTP/1.1 and HTTP/2 alike. */
export interface Reply extends Writable {
  readonly headersSent: boolean;
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  flushHeaders(): void;
}

export interface Caller {
  head: OpenMeta & { kind: "forward" };
  /** The request's body; undefined when it has none. */
  body: Readable | undefined;
  reply: Reply;
  /** Breaks the answer off, so that it cannot look whole. */
  cut(): void;
}

/** Passes one request on and its answer back, each as fast as it is taken. Never rejects. */
export async function forward(mux: () => Multiplexer, { head, body, reply, cut }: Caller): Promise<void> {
  const gone = new AbortController();
  reply.once("close", () => gone.abort());
  let tooSlow = false;
  const onTooSlow = () => {
    tooSlow = true;
  };
  let connection: Multiplexer;
  try {
    connection = mux();
  } catch (error) {
    if (!(error instanceof TunnelError)) throw error;
    return refuse(reply, answerFailure(error, { method: head.method, wasSent: false }));
  }
  const streams = connection.streamCount;
  let wasSent = false;
  try {
    const asked = requestThrough(connection, {
      ...head,
      signal: gone.signal,
      ...(body ? { body: bodyOf(body, { onTooSlow }) } : {}),
    });
    wasSent = connection.streamCount > streams;
    const answer = await asked;
    await sendAnswer(reply, answer, answer.body);
  } catch (error) {
    if (gone.signal.aborted) return;
    if (reply.headersSent) return cut();
    if (tooSlow) return refuse(reply, BODY_TOO_SLOW);
    const failure = error instanceof TunnelError ? error : new TunnelError("internal", messageOf(error));
    refuse(reply, answerFailure(failure, { method: head.method, wasSent }));
  }
}

/** An answer of our own. Without effect when the caller has gone. */
export function refuse(reply: Reply, error: ApiError): void {
  if (reply.destroyed || reply.headersSent) return;
  const { code, headers, body } = renderAnswer(error);
  reply.writeHead(code, headers);
  reply.end(body);
}

/** @throws when the body breaks midway: `reply` then has to be cut */
export async function sendAnswer(
  reply: Reply,
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  reply.writeHead(status, answeredHeaders(headers));
  const reader = body.getReader();
  let next = reader.read();
  // Head, a short body and its end go out as one; a watch's head does not wait for its first event.
  const isPending = await Promise.race([next.then(() => false), new Promise((done) => setImmediate(done, true))]);
  if (isPending) reply.flushHeaders();
  for (;;) {
    const { done, value } = await next;
    if (done) break;
    if (reply.destroyed) return void reader.cancel().catch(() => {});
    if (!reply.write(value)) await writable(reply);
    next = reader.read();
  }
  reply.end();
}

/** Settles when more can be written, or nobody is left to write to. */
async function writable(reply: Reply): Promise<void> {
  if (reply.destroyed) return;
  const over = new AbortController();
  const options = { signal: over.signal };
  await Promise.race([once(reply, "drain", options), once(reply, "close", options)]).catch(() => {});
  over.abort();
}
