import type { Messages } from "./send-messages.ts";

const LINE_FEED = 10;

/** Of a protobuf stream's frame: its length, big-endian, before its bytes. */
const LENGTH_BYTES = 4;

/** A watch in JSON: each event, with the line feed after it, is a text. */
export const textMessages = (): Messages => {
  const decoder = new TextDecoder();
  return cutter(
    (bytes) => {
      const end = bytes.indexOf(LINE_FEED);
      return end < 0 ? undefined : { from: 0, to: end + 1 };
    },
    (event) => decoder.decode(event),
  );
};

/** A watch in protobuf: each event is a message of bytes; a message has a length of its own. */
export const protobufMessages = (): Messages =>
  cutter(
    (bytes) => {
      if (bytes.byteLength < LENGTH_BYTES) return undefined;
      const to = LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
      return to > bytes.byteLength ? undefined : { from: LENGTH_BYTES, to };
    },
    (event) => event.slice(),
  );

/** Cuts a stream into events. What is left of it is at most one event, whose size the store bounds. */
function cutter<M extends string | Uint8Array>(
  find: (bytes: Uint8Array) => { from: number; to: number } | undefined,
  toMessage: (event: Uint8Array) => M,
): Messages {
  let left: Uint8Array = new Uint8Array(0);
  return function* (bytes) {
    left = left.byteLength === 0 ? bytes : concat(left, bytes);
    for (let found = find(left); found; found = find(left)) {
      yield toMessage(left.subarray(found.from, found.to));
      left = left.subarray(found.to);
    }
  };
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.byteLength + b.byteLength);
  both.set(a);
  both.set(b, a.byteLength);
  return both;
}
