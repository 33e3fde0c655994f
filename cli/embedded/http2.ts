import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { escapeTarget, isPlainTarget } from "../../shared/http-target.ts";
import { forwardHeaders, isForwarded, isPlainLine } from "./forward-headers.ts";
import { answerFailure, NOT_ALLOWED } from "./unavailable.ts";
import type { ExchangeSink, Upstream, UpstreamFailure } from "./upstream.ts";

/** Passes one HTTP/2 stream on. `raw`: its headers as they came; `own`: header lines that the front door adds. */
export function proxyHttp2(upstream: Upstream, stream: ServerHttp2Stream, raw: readonly string[], own: string): void {
  stream.on("error", () => undefined); // "close" follows and ends the exchange
  const method = pseudoHeader(raw, ":method");
  const target = pseudoHeader(raw, ":path");
  if (!isPlainTarget(target) || !raw.every(isPlainLine)) {
    stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
    return;
  }
  if (!isForwarded(method)) {
    stream.resume();
    stream.respond({ ":status": NOT_ALLOWED.code, ...NOT_ALLOWED.headers });
    stream.end(NOT_ALLOWED.body);
    return;
  }
  const { lines, bodyBytes } = forwardHeaders(raw, own);
  const hasBody = !stream.endAfterHeaders;
  const request = { method, path: escapeTarget(target), headerLines: lines, bodyBytes: hasBody ? bodyBytes || -1 : 0 };
  const sink = new Http2Sink(stream);
  const exchange = upstream.start(request, sink);
  sink.onFull = () => exchange.pause();
  stream.on("drain", () => exchange.resume());
  stream.on("close", () => exchange.abort());
  if (!hasBody) return;
  stream.on("data", (chunk: Buffer) => {
    if (!exchange.write(chunk)) stream.pause();
  });
  stream.on("end", () => exchange.end());
}

function pseudoHeader(raw: readonly string[], name: string): string {
  const at = raw.indexOf(name);
  return at < 0 ? "" : raw[at + 1]!;
}

/** Holds back one piece, so that a short body and its end go out as one frame. */
class Http2Sink implements ExchangeSink {
  onFull: () => void = () => undefined;
  readonly #stream: ServerHttp2Stream;
  #held: Buffer | undefined;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  onDrain(): void {
    this.#stream.resume();
  }

  onHead(status: number, headers: string[]): void {
    if (this.#isGone) return;
    const fields: OutgoingHttpHeaders = { ":status": status };
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i]!.toLowerCase();
      const value = headers[i + 1]!;
      const before = fields[name] as string | string[] | undefined;
      fields[name] = before === undefined ? value : [before, value].flat();
    }
    this.#stream.respond(fields);
  }

  onData(chunk: Buffer): void {
    const held = this.#held;
    this.#held = chunk;
    if (held) this.#write(held);
  }

  flush(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#write(held);
  }

  onEnd(): void {
    if (!this.#isGone) this.#stream.end(this.#held);
    this.#held = undefined;
    this.onDrain(); // what is left of the request's body is read, and dropped
  }

  onFailure(failure: UpstreamFailure): void {
    if (this.#isGone) return;
    if (this.#stream.headersSent) {
      // close() would end the stream properly before it resets it, and a cut answer would look whole.
      this.#stream.destroy(failure.cause);
      return;
    }
    this.onDrain();
    const { code, headers, body } = answerFailure(failure);
    this.#stream.respond({ ":status": code, ...headers });
    this.#stream.end(body);
  }

  get #isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  #write(chunk: Buffer): void {
    if (!this.#isGone && !this.#stream.write(chunk)) this.onFull();
  }
}
