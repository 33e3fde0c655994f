/**
 * SPDY/3.1 framing, as much of it as container runtimes' streaming servers speak. Pure: bytes in, frames out.
 * @see https://www.chromium.org/spdy/spdy-protocol/spdy-protocol-draft3-1/, section 2
 */

export const SYN_STREAM = 1;
export const RST_STREAM = 3;
export const PING = 6;
export const GOAWAY = 7;

/** The sender is done with the stream. */
export const FLAG_FIN = 0x01;

const VERSION = 0x8003;
const HEADER_BYTES = 8;
/** A length has 24 bits. What a runtime really sends is its copy buffer, 32 KiB; this bounds what we would hold. */
const MAX_FRAME_PAYLOAD_BYTES = 4 * 1024 * 1024;
/** A stored deflate block has a 16-bit length. */
const MAX_HEADER_BLOCK_BYTES = 0xffff;

export type SpdyFrame =
  | { type: "data"; streamId: number; fin: boolean; bytes: Buffer }
  /** `kind` is one of the control frame types; `payload` what follows the length. */
  | { type: "control"; kind: number; flags: number; payload: Buffer };

export function encodeData(streamId: number, bytes: Uint8Array, fin: boolean): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes.byteLength);
  frame.writeUInt32BE(streamId, 0);
  frame.writeUInt32BE(((fin ? FLAG_FIN : 0) << 24) | bytes.byteLength, 4);
  frame.set(bytes, HEADER_BYTES);
  return frame;
}

export function encodeControl(kind: number, flags: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.byteLength);
  frame.writeUInt16BE(VERSION, 0);
  frame.writeUInt16BE(kind, 2);
  frame.writeUInt32BE((flags << 24) | payload.byteLength, 4);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

/** SYN_STREAM; `first` says that it is the connection's first header block, which opens the compressed stream. */
export function encodeSynStream(streamId: number, headers: Record<string, string>, first: boolean): Buffer {
  const ids = Buffer.alloc(10);
  ids.writeUInt32BE(streamId, 0);
  return encodeControl(SYN_STREAM, 0, Buffer.concat([ids, encodeHeaderBlock(headers, first)]));
}

/**
 * Name/value block (section 2.6.10) in a zlib stream of stored, that is uncompressed, blocks without the preset
 * dictionary: valid deflate, a few bytes longer, and needs neither the dictionary nor compression state. The empty
 * block at the end makes the peer's inflater hand out what came before it (as Z_SYNC_FLUSH does).
 */
function encodeHeaderBlock(headers: Record<string, string>, first: boolean): Buffer {
  const entries = Object.entries(headers);
  const parts: Buffer[] = [uint32(entries.length)];
  for (const [name, value] of entries) {
    for (const text of [name.toLowerCase(), value]) {
      const bytes = Buffer.from(text);
      parts.push(uint32(bytes.byteLength), bytes);
    }
  }
  const block = Buffer.concat(parts);
  if (block.byteLength > MAX_HEADER_BLOCK_BYTES) throw new RangeError("header block is too long");
  const zlibHeader = first ? Buffer.from([0x78, 0x01]) : Buffer.alloc(0);
  return Buffer.concat([zlibHeader, storedBlock(block), storedBlock(Buffer.alloc(0))]);
}

/** RFC 1951, section 3.2.4, not final. */
function storedBlock(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.byteLength, 1);
  head.writeUInt16LE(bytes.byteLength ^ 0xffff, 3);
  return Buffer.concat([head, bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Cuts a byte stream into frames, however it was chunked. */
export class SpdyDecoder {
  #pending: Buffer = Buffer.alloc(0);

  /** @throws Error on a frame that is too long or of another version */
  push(chunk: Buffer): SpdyFrame[] {
    let bytes = this.#pending.byteLength === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const frames: SpdyFrame[] = [];
    while (bytes.byteLength >= HEADER_BYTES) {
      const flags = bytes.readUInt8(4);
      const length = bytes.readUIntBE(5, 3);
      if (length > MAX_FRAME_PAYLOAD_BYTES) throw new Error(`SPDY frame of ${length} bytes`);
      if (bytes.byteLength < HEADER_BYTES + length) break;
      const payload = bytes.subarray(HEADER_BYTES, HEADER_BYTES + length);
      const isControl = (bytes.readUInt8(0) & 0x80) !== 0;
      if (isControl && bytes.readUInt16BE(0) !== VERSION) throw new Error("not a SPDY/3 frame");
      frames.push(
        isControl
          ? { type: "control", kind: bytes.readUInt16BE(2), flags, payload }
          : { type: "data", streamId: bytes.readUInt32BE(0), fin: (flags & FLAG_FIN) !== 0, bytes: payload },
      );
      bytes = bytes.subarray(HEADER_BYTES + length);
    }
    this.#pending = bytes;
    return frames;
  }
}
