import { TunnelError } from "./meta.ts";

/**
 * Messages within a body: exec, attach and port-forward are WebSockets at both ends and bytes in between. Each message
 * goes as its length (uint32, big endian) and its bytes.
 */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

const PREFIX_BYTES = 4;

/** @throws TunnelError ("protocol") if it is over MAX_MESSAGE_BYTES */
export function encodeMessage(message: Uint8Array): Uint8Array<ArrayBuffer> {
  if (message.byteLength > MAX_MESSAGE_BYTES) throw new TunnelError("protocol", "message is too large");
  const bytes = new Uint8Array(PREFIX_BYTES + message.byteLength);
  new DataView(bytes.buffer).setUint32(0, message.byteLength);
  bytes.set(message, PREFIX_BYTES);
  return bytes;
}

/** Cuts a body back into its messages, however it was chunked. Holds at most one unfinished message. */
export class MessageDecoder {
  #pending = new Uint8Array(0);

  /**
   * The messages completed by this chunk, in order; they do not alias the chunk.
   * @throws TunnelError ("protocol") if a message announces more than MAX_MESSAGE_BYTES
   */
  push(chunk: Uint8Array): Uint8Array[] {
    const bytes = new Uint8Array(this.#pending.byteLength + chunk.byteLength);
    bytes.set(this.#pending);
    bytes.set(chunk, this.#pending.byteLength);
    const view = new DataView(bytes.buffer);
    const messages: Uint8Array[] = [];
    let offset = 0;
    while (bytes.byteLength - offset >= PREFIX_BYTES) {
      const length = view.getUint32(offset);
      if (length > MAX_MESSAGE_BYTES) throw new TunnelError("protocol", "message is too large");
      const end = offset + PREFIX_BYTES + length;
      if (end > bytes.byteLength) break;
      messages.push(bytes.subarray(offset + PREFIX_BYTES, end));
      offset = end;
    }
    this.#pending = bytes.slice(offset);
    return messages;
  }
}
