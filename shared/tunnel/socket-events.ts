import { TunnelError } from "./meta.ts";

/**
 * What happens on a WebSocket of a dialled server, as one message of a body (messages.ts): unlike the sessions of a
 * kubelet it may carry text, and its close has a code that belongs to the two ends.
 */
export type SocketEvent =
  | { type: "text"; data: string }
  | { type: "binary"; data: Uint8Array }
  | { type: "close"; code: number; reason: string };

const TYPES = ["text", "binary", "close"] as const;
/** RFC 6455, section 7.4: codes that a peer may send. 1005 (none was given) stands for a close without one. */
const NO_CODE = 1005;
const isSendable = (code: number) =>
  (code >= 1000 && code <= 1014 && ![1004, 1006].includes(code)) || (code >= 3000 && code <= 4999);

export function encodeSocketEvent(event: SocketEvent): Uint8Array {
  const payload =
    event.type === "binary" ? event.data : new TextEncoder().encode(event.type === "text" ? event.data : event.reason);
  const head =
    event.type === "close" ? [TYPES.indexOf("close"), event.code >> 8, event.code & 0xff] : [TYPES.indexOf(event.type)];
  const bytes = new Uint8Array(head.length + payload.byteLength);
  bytes.set(head);
  bytes.set(payload, head.length);
  return bytes;
}

/** @throws TunnelError ("protocol") for what no event looks like */
export function decodeSocketEvent(message: Uint8Array): SocketEvent {
  const type = TYPES[message[0] ?? TYPES.length];
  const rest = message.subarray(1);
  try {
    if (type === "binary") return { type, data: rest };
    if (type === "text") return { type, data: textOf(rest) };
    if (type === "close" && rest.byteLength >= 2) {
      const code = rest[0]! * 256 + rest[1]!;
      return { type, code: isSendable(code) ? code : NO_CODE, reason: textOf(rest.subarray(2)) };
    }
  } catch (cause) {
    throw new TunnelError("protocol", "a WebSocket's text is no UTF-8", { cause });
  }
  throw new TunnelError("protocol", "unknown WebSocket event");
}

const textOf = (bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
