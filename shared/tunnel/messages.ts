import { join } from "./bytes.ts";
import { TunnelError } from "./meta.ts";

/**
 * Messages within a body: exec, attach and port-forward are WebSockets at both ends and bytes in between. Each message
 * goes as its length (uint32, big endian) and its bytes.
 */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

const PREFIX_BYTES = 4;
/** Each costs memory of its own, also one of a single byte. */
const MAX_CHUNKS = 1024;

/** @throws TunnelError ("protocol") if it is over MAX_MESSAGE_BYTES */
export function encodeMessage(message: Uint8Array): Uint8Array<ArrayBuffer> {
  if (message.byteLength > MAX_MESSAGE_BYTES) throw new TunnelError("protocol", "message is too large");
  const bytes = new Uint8Array(PREFIX_BYTES + message.byteLength);
  new DataView(bytes.buffer).setUint32(0, message.byteLength);
  bytes.set(message, PREFIX_BYTES);
  return bytes;
}

/** Cuts a body back into its messages, however it was chunked. Holds at most one unfinished message and one chunk. */
export class MessageDecoder {
  /** Joined only when there is enough: a peer that sends byte by byte must not make us copy a megabyte for each. */
  #chunks: Uint8Array[] = [];
  #heldBytes = 0;
  /** How many bytes it takes to go on. */
  #neededBytes = PREFIX_BYTES;

  /**
   * The messages completed by this chunk, in order; they do not alias the chunk.
   * @throws TunnelError ("protocol") if a message announces more than MAX_MESSAGE_BYTES
   */
  push(chunk: Uint8Array): Uint8Array[] {
    this.#chunks.push(chunk.slice());
    this.#heldBytes += chunk.byteLength;
    if (this.#heldBytes < this.#neededBytes) {
      if (this.#chunks.length >= MAX_CHUNKS) this.#chunks = [join(this.#chunks, this.#heldBytes)];
      return [];
    }
    const bytes = join(this.#chunks, this.#heldBytes);
    const view = new DataView(bytes.buffer);
    const messages: Uint8Array[] = [];
    let offset = 0;
    this.#neededBytes = PREFIX_BYTES;
    while (bytes.byteLength - offset >= PREFIX_BYTES) {
      const length = view.getUint32(offset);
      if (length > MAX_MESSAGE_BYTES) throw new TunnelError("protocol", "message is too large");
      this.#neededBytes = PREFIX_BYTES + length;
      if (offset + this.#neededBytes > bytes.byteLength) break;
      messages.push(bytes.subarray(offset + PREFIX_BYTES, offset + this.#neededBytes));
      offset += this.#neededBytes;
      this.#neededBytes = PREFIX_BYTES;
    }
    this.#chunks = [bytes.slice(offset)];
    this.#heldBytes = bytes.byteLength - offset;
    return messages;
  }
}
