import type { IncomingMessage, ServerResponse } from "node:http";
import { escapeTarget } from "../../shared/http-target.ts";
import { forwardHeaders, isForwarded } from "./forward-headers.ts";
import { answerFailure, NOT_ALLOWED } from "./unavailable.ts";
import type { ExchangeSink, Upstream, UpstreamFailure } from "./upstream.ts";

/** Passes one HTTP/1.1 request on. `own`: header lines that the front door adds. */
export function proxyHttp1(upstream: Upstream, req: IncomingMessage, res: ServerResponse, own: string): void {
  if (!isForwarded(req.method!)) {
    req.resume();
    res.writeHead(NOT_ALLOWED.code, NOT_ALLOWED.headers).end(NOT_ALLOWED.body);
    return;
  }
  const { lines, bodyBytes } = forwardHeaders(req.rawHeaders, own);
  const sink = new Http1Sink(res, () => req.resume());
  const path = escapeTarget(req.url!);
  const exchange = upstream.start({ method: req.method!, path, headerLines: lines, bodyBytes }, sink);
  res.on("drain", () => exchange.resume());
  res.on("close", () => exchange.abort());
  sink.onFull = () => exchange.pause();
  if (bodyBytes === 0) return;
  req.on("data", (chunk: Buffer) => {
    if (!exchange.write(chunk)) req.pause();
  });
  req.on("end", () => exchange.end());
}

/** Holds back one piece, so that the head, a short body and its end go out as one. */
class Http1Sink implements ExchangeSink {
  onFull: () => void = () => undefined;
  readonly onDrain: () => void;
  readonly #res: ServerResponse;
  #held: Buffer | undefined;

  constructor(res: ServerResponse, onDrain: () => void) {
    this.#res = res;
    this.onDrain = onDrain;
  }

  onHead(status: number, headers: string[]): void {
    this.#res.writeHead(status, headers);
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
    else this.#res.flushHeaders();
  }

  onEnd(): void {
    this.#res.end(this.#held);
    this.#held = undefined;
    this.onDrain(); // what is left of the request's body is read, and dropped
  }

  onFailure(failure: UpstreamFailure): void {
    this.onDrain();
    if (this.#res.headersSent) return void this.#res.destroy();
    const { code, headers, body } = answerFailure(failure);
    this.#res.writeHead(code, headers).end(body);
  }

  #write(chunk: Buffer): void {
    if (!this.#res.write(chunk)) this.onFull();
  }
}
