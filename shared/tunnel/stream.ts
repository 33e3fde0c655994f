import { join } from "./bytes.ts";
import { creditToGrant, sendableBytes } from "./flow-control.ts";
import type { Frame } from "./frame.ts";
import { STREAM_WINDOW_BYTES } from "./limits.ts";
import { type HeadMeta, type OpenMeta, type ResetCode, TunnelError } from "./meta.ts";

/** Joined when there are more: each costs memory of its own, also one of a single byte. */
const MAX_CHUNKS = 64;

/** What a stream needs of its connection. */
export interface Connection {
  send(frame: Frame): void;
  /** Sent without credit for it, over all streams; each stream keeps its share up to date. */
  totalUnacked: number;
  /** Received and not yet read, over all streams. */
  totalBuffered: number;
  /** Resolves when there may be credit for this stream, or when it is over. */
  waitForCredit(stream: TunnelStream): Promise<void>;
  /** The stream is over for the protocol: frames with its id are of an unknown stream from now on. */
  forget(stream: TunnelStream): void;
}

/**
 * One exchange: a request and its answer, bodies flowing both ways at once.
 *
 * The opener owns `head`; the answering side calls `respond` once, then writes the answer's body. When the answering
 * side closes `writable` the exchange is over, whatever was left of the request's body.
 */
export class TunnelStream {
  readonly id: number;
  readonly meta: OpenMeta;
  /** The opener's: the answer's head. Rejects with a TunnelError if the stream fails before. */
  readonly head: Promise<HeadMeta>;
  /** The peer's bytes. Cancelling it ends the exchange for the opener; the answering side merely stops listening. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Our bytes; a write resolves once the flow control let them go. */
  readonly writable: WritableStream<Uint8Array>;
  /** Aborted when the exchange fails, by the peer's RESET or with the connection. */
  readonly signal: AbortSignal;
  /** Settles when the exchange is over, well or not; never rejects. */
  readonly closed: Promise<void>;

  readonly #connection: Connection;
  readonly #isOpener: boolean;
  readonly #abort = new AbortController();
  readonly #head = Promise.withResolvers<HeadMeta>();
  readonly #closed = Promise.withResolvers<void>();
  /** Received, not yet read. At most STREAM_WINDOW_BYTES: the sender has no credit for more. */
  readonly #chunks: Uint8Array[] = [];
  #bufferedBytes = 0;
  #consumedBytes = 0;
  #unacked = 0;
  #peerEnded: boolean;
  #ended = false;
  #responded = false;
  #discarding = false;
  #over = false;
  #failure: TunnelError | undefined;
  #wakeReader: (() => void) | undefined;

  constructor(
    connection: Connection,
    { id, meta, isOpener, end }: { id: number; meta: OpenMeta; isOpener: boolean; end: boolean },
  ) {
    this.id = id;
    this.meta = meta;
    this.#connection = connection;
    this.#isOpener = isOpener;
    this.#ended = isOpener && end;
    this.#peerEnded = !isOpener && end;
    this.signal = this.#abort.signal;
    this.head = this.#head.promise;
    this.closed = this.#closed.promise;
    // A stream may fail before anybody looks at its head.
    this.head.catch(() => {});
    this.readable = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: (reason) => this.#cancelRead(reason) },
      { highWaterMark: 0 },
    );
    this.writable = new WritableStream<Uint8Array>({
      write: (chunk) => this.#write(chunk),
      close: () => this.#end(),
      abort: (reason) => this.reset("cancelled", messageOf(reason)),
    });
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Begins the answer. Only the answering side, once; silently without effect when the opener has gone. */
  respond(head: HeadMeta): void {
    if (this.#isOpener || this.#responded) throw new Error("a stream is answered once, by the side it was opened to");
    if (this.#over) return;
    this.#responded = true;
    this.#connection.send({ type: "head", id: this.id, meta: head });
  }

  /** Ends the exchange as failed, on both sides. Without effect when it is over. */
  reset(code: ResetCode, message: string): void {
    if (this.#over) return;
    this.#connection.send({ type: "reset", id: this.id, meta: { code, message } });
    this.fail(new TunnelError(code, message));
  }

  /** For the connection: the exchange failed, without telling the peer. */
  fail(error: TunnelError): void {
    if (this.#over) return;
    this.#failure = error;
    this.#dropBuffered();
    this.#finish();
    this.#head.reject(error);
    this.#abort.abort(error);
  }

  /** For the connection: how much may be sent now. */
  sendable(): number {
    return sendableBytes({ streamUnacked: this.#unacked, totalUnacked: this.#connection.totalUnacked });
  }

  /** For the connection: a frame of the peer for this stream. @throws TunnelError ("protocol") if it breaks the rules */
  receive(frame: Extract<Frame, { id: number }>): void {
    switch (frame.type) {
      case "head":
        if (!this.#isOpener || this.#responded) throw new TunnelError("protocol", "unexpected HEAD frame");
        this.#responded = true;
        this.#head.resolve(frame.meta);
        return;
      case "data":
        this.#receiveData(frame.bytes);
        return;
      case "end":
        this.#receiveEnd();
        return;
      case "window":
        this.#acknowledge(Math.min(frame.bytes, this.#unacked));
        return;
      case "reset":
        this.fail(new TunnelError(frame.meta.code, frame.meta.message));
        return;
      case "open":
        throw new TunnelError("protocol", "stream is already open");
    }
  }

  #receiveData(bytes: Uint8Array): void {
    if (this.#peerEnded) throw new TunnelError("protocol", "DATA after END");
    if (this.#isOpener && !this.#responded) throw new TunnelError("protocol", "DATA before HEAD");
    if (this.#discarding) {
      this.#consumed(bytes.byteLength);
      return;
    }
    // What was read but not yet credited also counts: the sender cannot know that it was read.
    if (this.#bufferedBytes + this.#consumedBytes + bytes.byteLength > STREAM_WINDOW_BYTES) {
      throw new TunnelError("protocol", "DATA beyond the stream's window");
    }
    if (bytes.byteLength === 0) return;
    this.#chunks.push(bytes);
    if (this.#chunks.length >= MAX_CHUNKS) {
      this.#chunks.splice(0, Infinity, join(this.#chunks, this.#bufferedBytes + bytes.byteLength));
    }
    this.#bufferedBytes += bytes.byteLength;
    this.#connection.totalBuffered += bytes.byteLength;
    this.#wakeReader?.();
  }

  #receiveEnd(): void {
    if (this.#isOpener && !this.#responded) throw new TunnelError("protocol", "END before HEAD");
    this.#peerEnded = true;
    // The answer is complete: nobody listens to the rest of the request. What is buffered can still be read.
    if (this.#isOpener) this.#finish();
    this.#wakeReader?.();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#bufferedBytes -= chunk.byteLength;
        this.#connection.totalBuffered -= chunk.byteLength;
        controller.enqueue(chunk);
        this.#consumed(chunk.byteLength);
        return;
      }
      if (this.#failure) throw this.#failure;
      if (this.#peerEnded || this.#over) {
        controller.close();
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
      this.#wakeReader = undefined;
    }
  }

  #cancelRead(reason: unknown): void {
    if (this.#isOpener) this.reset("cancelled", messageOf(reason));
    this.#discarding = true;
    this.#dropBuffered();
  }

  #dropBuffered(): void {
    this.#chunks.length = 0;
    this.#connection.totalBuffered -= this.#bufferedBytes;
    const dropped = this.#bufferedBytes;
    this.#bufferedBytes = 0;
    this.#consumed(dropped);
  }

  /** Gives credit back, unless the peer has nothing more to send. */
  #consumed(bytes: number): void {
    if (this.#peerEnded || this.#over) return;
    this.#consumedBytes += bytes;
    const credit = creditToGrant(this.#consumedBytes);
    if (credit === 0) return;
    this.#consumedBytes = 0;
    this.#connection.send({ type: "window", id: this.id, bytes: credit });
  }

  async #write(chunk: Uint8Array): Promise<void> {
    if (!this.#isOpener && !this.#responded) throw new Error("respond() comes before the body");
    for (let offset = 0; offset < chunk.byteLength; ) {
      if (this.#over) throw this.#failure ?? new TunnelError("cancelled", "the exchange is over");
      const size = Math.min(this.sendable(), chunk.byteLength - offset);
      if (size === 0) {
        await this.#connection.waitForCredit(this);
        continue;
      }
      this.#unacked += size;
      this.#connection.totalUnacked += size;
      this.#connection.send({ type: "data", id: this.id, bytes: chunk.subarray(offset, offset + size) });
      offset += size;
    }
  }

  #end(): void {
    if (this.#ended || this.#over) return;
    if (!this.#isOpener && !this.#responded) throw new Error("respond() comes before the end");
    this.#ended = true;
    this.#connection.send({ type: "end", id: this.id });
    if (!this.#isOpener) this.#finish();
  }

  #acknowledge(bytes: number): void {
    this.#unacked -= bytes;
    this.#connection.totalUnacked -= bytes;
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    if (!this.#isOpener) this.#dropBuffered();
    this.#acknowledge(this.#unacked);
    this.#connection.forget(this);
    this.#wakeReader?.();
    this.#closed.resolve();
  }
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : reason === undefined ? "cancelled" : String(reason);
}
