import type { z } from "zod";
import { MAX_DATA_BYTES, MAX_META_BYTES, MAX_STREAMS_PER_SIDE } from "./limits.ts";
import {
  type HeadMeta,
  headMetaSchema,
  type OpenMeta,
  openMetaSchema,
  type ResetMeta,
  resetMetaSchema,
  TunnelError,
} from "./meta.ts";

/**
 * One frame is one binary WebSocket message: a type byte, the stream's id (uint32, big endian), the payload. The agent
 * opens odd ids, the gateway even ones.
 */
export type Frame =
  /** Starts an exchange. `end`: no body follows, so an ordinary GET is one message. */
  | { type: "open"; id: number; meta: OpenMeta; end: boolean }
  /** The answer begins. */
  | { type: "head"; id: number; meta: HeadMeta }
  /** A piece of the body, in either direction. */
  | { type: "data"; id: number; bytes: Uint8Array }
  /** The sender's body is complete. From the answering side it also ends the exchange. */
  | { type: "end"; id: number }
  /** The exchange is over and failed; never answered. */
  | { type: "reset"; id: number; meta: ResetMeta }
  /** So many more bytes may be sent on the stream. */
  | { type: "window"; id: number; bytes: number }
  /** "Which streams do you hold open?" Sent by a side that may have lost its memory; answered by `streams`. */
  | { type: "query" }
  /** All streams the sender holds open; the receiver resets those it does not know. */
  | { type: "streams"; ids: number[] };

const CODES = { open: 1, head: 2, data: 3, end: 4, reset: 5, window: 6, query: 7, streams: 8 } as const;
/** Set on an OPEN frame whose request has no body. */
const END_FLAG = 0x80;
const HEADER_BYTES = 5;
const EMPTY = new Uint8Array(0);

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws TunnelError ("protocol") if the payload is over a bound, or nothing that the peer would take */
export function encodeFrame(frame: Frame): Uint8Array<ArrayBuffer> {
  switch (frame.type) {
    case "open":
      return pack(CODES.open | (frame.end ? END_FLAG : 0), frame.id, encodeMeta(frame.meta, openMetaSchema));
    case "head":
      return pack(CODES.head, frame.id, encodeMeta(frame.meta, headMetaSchema));
    case "data":
      if (frame.bytes.byteLength > MAX_DATA_BYTES) throw new TunnelError("protocol", "DATA frame is too large");
      return pack(CODES.data, frame.id, frame.bytes);
    case "end":
      return pack(CODES.end, frame.id, EMPTY);
    case "reset":
      return pack(CODES.reset, frame.id, encodeMeta(shortened(frame.meta), resetMetaSchema));
    case "window":
      return pack(CODES.window, frame.id, uint32s([frame.bytes]));
    case "query":
      return pack(CODES.query, 0, EMPTY);
    case "streams":
      return pack(CODES.streams, 0, uint32s(frame.ids));
  }
}

/**
 * Parses a message of the peer. The bytes of a `data` frame are a view of the message.
 * @throws TunnelError ("protocol") on anything that is not a well-formed frame within its bounds
 */
export function decodeFrame(message: Uint8Array): Frame {
  if (message.byteLength < HEADER_BYTES) throw new TunnelError("protocol", "frame is too short");
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const code = view.getUint8(0);
  const id = view.getUint32(1);
  const payload = message.subarray(HEADER_BYTES);
  switch (code) {
    case CODES.open:
    case CODES.open | END_FLAG:
      return { type: "open", id, meta: decodeMeta(payload, openMetaSchema), end: code !== CODES.open };
    case CODES.head:
      return { type: "head", id, meta: decodeMeta(payload, headMetaSchema) };
    case CODES.data:
      if (payload.byteLength > MAX_DATA_BYTES) throw new TunnelError("protocol", "DATA frame is too large");
      return { type: "data", id, bytes: payload };
    case CODES.end:
      return { type: "end", id };
    case CODES.reset:
      return { type: "reset", id, meta: decodeMeta(payload, resetMetaSchema) };
    case CODES.window: {
      if (payload.byteLength !== 4) throw new TunnelError("protocol", "WINDOW frame has no credit");
      return { type: "window", id, bytes: view.getUint32(HEADER_BYTES) };
    }
    case CODES.query:
      return { type: "query" };
    case CODES.streams: {
      const count = payload.byteLength / 4;
      if (!Number.isInteger(count) || count > 2 * MAX_STREAMS_PER_SIDE) {
        throw new TunnelError("protocol", "STREAMS frame has a wrong length");
      }
      return { type: "streams", ids: Array.from({ length: count }, (_, i) => view.getUint32(HEADER_BYTES + 4 * i)) };
    }
    default:
      throw new TunnelError("protocol", `unknown frame type ${code}`);
  }
}

function pack(code: number, id: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(HEADER_BYTES + payload.byteLength);
  message[0] = code;
  new DataView(message.buffer).setUint32(1, id);
  message.set(payload, HEADER_BYTES);
  return message;
}

function uint32s(values: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, i) => {
    view.setUint32(4 * i, value);
  });
  return new Uint8Array(view.buffer);
}

const shortened = (meta: ResetMeta): ResetMeta => ({ ...meta, message: meta.message.slice(0, 4096) });

/**
 * Checked as the peer will check it: heads of dialled servers and headers of users go in here, and what a peer refuses
 * costs the connection, with every other stream on it.
 */
function encodeMeta<T>(meta: T, schema: z.ZodType<T>): Uint8Array {
  if (!schema.safeParse(meta).success) throw new TunnelError("protocol", "path or headers are not fit for the tunnel");
  const bytes = encoder.encode(JSON.stringify(meta));
  if (bytes.byteLength > MAX_META_BYTES) throw new TunnelError("protocol", "path and headers are too long");
  return bytes;
}

function decodeMeta<T>(payload: Uint8Array, schema: z.ZodType<T>): T {
  if (payload.byteLength > MAX_META_BYTES) throw new TunnelError("protocol", "path and headers are too long");
  let json: unknown;
  try {
    json = JSON.parse(decoder.decode(payload));
  } catch (cause) {
    throw new TunnelError("protocol", "frame does not carry JSON", { cause });
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new TunnelError("protocol", `frame is not understood: ${parsed.error.message}`);
  return parsed.data;
}
