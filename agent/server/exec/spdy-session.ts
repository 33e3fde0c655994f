import type { Duplex } from "node:stream";
import { drained } from "./drained.ts";
import { encodeControl, encodeData, encodeSynStream, PING, RST_STREAM, SpdyDecoder } from "./spdy-frame.ts";

/** What comes from the peer on one of our streams; `bytes` undefined: the stream was reset. */
export interface SpdyInput {
  streamId: number;
  bytes: Buffer;
  fin: boolean;
}

/**
 * The client's side of one SPDY connection to a streaming server: we open the streams, the peer only answers on them.
 * There is no flow control beyond TCP's (moby/spdystream, which every runtime uses, has none either).
 */
export class SpdySession {
  readonly #socket: Duplex;
  #nextId = 1;

  constructor(socket: Duplex) {
    this.#socket = socket;
    // An error is reported by the iteration of input(); without a listener it would end the process.
    socket.on("error", () => {});
  }

  /** Opens a stream. @returns its id */
  open(headers: Record<string, string>): number {
    const id = this.#nextId;
    this.#nextId += 2;
    this.#socket.write(encodeSynStream(id, headers, id === 1));
    return id;
  }

  /** Resolves when the connection takes more; at once when it is gone. */
  async write(streamId: number, bytes: Uint8Array, fin = false): Promise<void> {
    if (this.#socket.destroyed || !this.#socket.writable) return;
    if (this.#socket.write(encodeData(streamId, bytes, fin))) return;
    await drained(this.#socket);
  }

  /** What the peer sends, until it closes the connection. The next piece is read only when asked for. */
  async *input(): AsyncGenerator<SpdyInput> {
    const decoder = new SpdyDecoder();
    for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
      for (const frame of decoder.push(chunk)) {
        if (frame.type === "data") {
          yield { streamId: frame.streamId, bytes: frame.bytes, fin: frame.fin };
        } else if (frame.kind === PING) {
          this.#socket.write(encodeControl(PING, 0, frame.payload));
        } else if (frame.kind === RST_STREAM && frame.payload.byteLength >= 4) {
          yield { streamId: frame.payload.readUInt32BE(0), bytes: Buffer.alloc(0), fin: true };
        }
        // SYN_REPLY, SETTINGS, GOAWAY and WINDOW_UPDATE ask nothing of us.
      }
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}
