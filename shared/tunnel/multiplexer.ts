import { decodeFrame, encodeFrame, type Frame } from "./frame.ts";
import { MAX_BUFFERED_BYTES, MAX_STREAMS_PER_SIDE } from "./limits.ts";
import { type OpenMeta, TunnelError } from "./meta.ts";
import { type Connection, TunnelStream } from "./stream.ts";

export interface MultiplexerOptions {
  /** The agent opens odd ids, the gateway even ones. */
  side: "agent" | "gateway";
  /** Hands one binary message to the connection; order is kept, the caller does not wait. */
  send(message: Uint8Array<ArrayBuffer>): void;
  /** The peer opened a stream: answer it with `respond`, or `reset` it. */
  onStream(stream: TunnelStream): void;
  /** Told of every stream, whichever side opened it. */
  onOpen?(stream: TunnelStream): void;
  /**
   * Where own ids start (made odd or even). A side that can lose its memory while the connection stays passes a random
   * one, so that a new stream does not meet the peer's memory of an old one.
   */
  firstId?: number;
}

/**
 * Many exchanges over one message connection, with flow control. Knows no WebSocket and no clock: it is told of each
 * binary message by `receive` and of the connection's end by `close`.
 */
export class Multiplexer {
  readonly #options: MultiplexerOptions;
  readonly #streams = new Map<number, TunnelStream>();
  /** Streams waiting for credit, first come first served. */
  readonly #waiting = new Map<TunnelStream, () => void>();
  readonly #connection: Connection;
  #nextId: number;
  #ownCount = 0;
  #closedBy: TunnelError | undefined;

  constructor(options: MultiplexerOptions) {
    this.#options = options;
    this.#nextId = ((options.firstId ?? 1) & 0x3fff_fffe) | this.#parity;
    if (this.#nextId === 0) this.#nextId = 2;
    this.#connection = {
      send: (frame) => this.#send(frame),
      totalUnacked: 0,
      totalBuffered: 0,
      waitForCredit: (stream) => new Promise((resolve) => this.#waiting.set(stream, resolve)),
      forget: (stream) => this.#forget(stream),
    };
  }

  /** Streams open in both directions. */
  get streamCount(): number {
    return this.#streams.size;
  }

  get isClosed(): boolean {
    return this.#closedBy !== undefined;
  }

  /**
   * Starts an exchange. `hasBody: false` says at once that no request body follows.
   * @throws TunnelError "disconnected" after close, "refused" when MAX_STREAMS_PER_SIDE are open, "protocol" when path
   * and headers are too long
   */
  openStream(meta: OpenMeta, { hasBody }: { hasBody: boolean }): TunnelStream {
    if (this.#closedBy) throw this.#closedBy;
    if (this.#ownCount >= MAX_STREAMS_PER_SIDE) throw new TunnelError("refused", "too many streams in the tunnel");
    const id = this.#takeId();
    const message = encodeFrame({ type: "open", id, meta, end: !hasBody });
    const stream = new TunnelStream(this.#connection, { id, meta, isOpener: true, end: !hasBody });
    this.#streams.set(id, stream);
    this.#ownCount++;
    this.#options.onOpen?.(stream);
    this.#options.send(message);
    return stream;
  }

  /**
   * Takes in one message of the peer.
   * @throws TunnelError "protocol" when the peer cannot be understood: close the connection
   */
  receive(message: Uint8Array): void {
    if (this.#closedBy) return;
    const frame = decodeFrame(message);
    if (frame.type === "query") {
      this.sendStreams();
    } else if (frame.type === "streams") {
      for (const id of frame.ids) if (!this.#streams.has(id)) this.#sendLost(id);
    } else if (frame.type === "open") {
      this.#receiveOpen(frame);
    } else {
      this.#receiveOnStream(frame);
    }
  }

  /** Names our streams to the peer, which resets those it does not know. */
  sendStreams(): void {
    if (!this.#closedBy) this.#send({ type: "streams", ids: [...this.#streams.keys()] });
  }

  /** Asks the peer to name its streams: after waking without memory. */
  queryStreams(): void {
    if (!this.#closedBy) this.#send({ type: "query" });
  }

  /** The connection is gone: every stream fails with this message. */
  close(message: string): void {
    if (this.#closedBy) return;
    this.#closedBy = new TunnelError("disconnected", message);
    for (const stream of [...this.#streams.values()]) stream.fail(this.#closedBy);
    this.#wakeWaiting();
  }

  get #parity(): number {
    return this.#options.side === "agent" ? 1 : 0;
  }

  #takeId(): number {
    let id = this.#nextId;
    while (this.#streams.has(id)) id = following(id);
    this.#nextId = following(id);
    return id;
  }

  #receiveOpen({ id, meta, end }: Extract<Frame, { type: "open" }>): void {
    if (id === 0 || (id & 1) === this.#parity) throw new TunnelError("protocol", "stream id of the wrong side");
    // The peer lost its memory and took the id anew; what we know under it is of its past.
    this.#streams.get(id)?.fail(new TunnelError("lost", "the peer forgot this stream"));
    if (this.#streams.size - this.#ownCount >= MAX_STREAMS_PER_SIDE) {
      this.#send({ type: "reset", id, meta: { code: "refused", message: "too many streams in the tunnel" } });
      return;
    }
    const stream = new TunnelStream(this.#connection, { id, meta, isOpener: false, end });
    this.#streams.set(id, stream);
    this.#options.onOpen?.(stream);
    this.#options.onStream(stream);
  }

  #receiveOnStream(frame: Exclude<Frame, { type: "open" | "query" | "streams" }>): void {
    const stream = this.#streams.get(frame.id);
    if (!stream) {
      // A RESET or WINDOW for a stream that just ended is ordinary; the others mean that somebody waits for us.
      if (frame.type === "head" || frame.type === "data" || frame.type === "end") this.#sendLost(frame.id);
      return;
    }
    try {
      stream.receive(frame);
    } catch (error) {
      if (!(error instanceof TunnelError)) throw error;
      stream.reset(error.code, error.message);
    }
    if (this.#connection.totalBuffered > MAX_BUFFERED_BYTES) stream.reset("protocol", "too much is buffered");
    if (frame.type === "window") this.#wakeWaiting();
  }

  #wakeWaiting(): void {
    for (const [stream, wake] of [...this.#waiting]) {
      if (!stream.isOver && stream.sendable() === 0) continue;
      this.#waiting.delete(stream);
      wake();
    }
  }

  #forget(stream: TunnelStream): void {
    this.#streams.delete(stream.id);
    if ((stream.id & 1) === this.#parity) this.#ownCount--;
    this.#wakeWaiting();
  }

  #sendLost(id: number): void {
    this.#send({ type: "reset", id, meta: { code: "lost", message: "the stream is not known" } });
  }

  #send(frame: Frame): void {
    if (!this.#closedBy) this.#options.send(encodeFrame(frame));
  }
}

/** Ids stay below 2^30 and keep their parity. */
function following(id: number): number {
  return id + 2 < 0x4000_0000 ? id + 2 : (id & 1) + 2;
}
