import type { JsonObject } from "../../api/json.ts";
import { encodeMessage } from "./encode.ts";
import { messageOfKind } from "./kinds.ts";
import { WireType } from "./reader.ts";
import { Writer } from "./writer.ts";

/** `k8s` and a zero byte: what every object begins with. */
export const PREFIX = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/**
 * An object in protobuf, as upstream writes it: the envelope (runtime.Unknown) with its apiVersion and kind, and its
 * fields.
 * @throws ProtobufError for a kind that has no such form
 */
export function encodeProtobuf(object: JsonObject): Uint8Array<ArrayBuffer> {
  const { apiVersion = "", kind = "" } = object as { apiVersion?: string; kind?: string };
  const message = messageOfKind(apiVersion, kind);
  return inEnvelope(apiVersion, kind, (writer) => encodeMessage(writer, message, object));
}

/**
 * A list in protobuf. Its items are taken one after the other, so that they need not be in memory at once.
 * @throws ProtobufError for a kind that has no such form
 */
export function encodeProtobufList(
  { apiVersion, kind, metadata }: { apiVersion: string; kind: string; metadata: JsonObject },
  items: Iterable<JsonObject>,
): Uint8Array<ArrayBuffer> {
  const list = messageOfKind(apiVersion, kind);
  return inEnvelope(apiVersion, kind, (writer) => {
    encodeMessage(writer, list, { metadata });
    // Items come last in every list: what follows is one more of the same message.
    for (const item of items) encodeMessage(writer, itemsOnly(list), { items: [item] });
  });
}

const itemsOnly = (list: ReturnType<typeof messageOfKind>) => ({ ...list, fields: list.fields.with(1, undefined) });

/** An event of a watch: its length in four bytes, and `{type=1, object=2 {raw=1}}` with the object in its envelope. */
export function encodeProtobufEvent(type: string, object: JsonObject): Uint8Array<ArrayBuffer> {
  const encoded = encodeProtobuf(object);
  const writer = new Writer();
  writer.tag(1, WireType.bytes);
  writer.string(type);
  writer.tag(2, WireType.bytes);
  const start = writer.begin();
  writer.tag(1, WireType.bytes);
  writer.bytes(encoded);
  writer.end(start);
  const frame = new Uint8Array(4 + writer.length);
  new DataView(frame.buffer).setUint32(0, writer.length);
  frame.set(writer.written, 4);
  return frame;
}

/** runtime.Unknown: `{typeMeta=1 {apiVersion=1, kind=2}, raw=2, contentEncoding=3, contentType=4}`. */
function inEnvelope(apiVersion: string, kind: string, write: (writer: Writer) => void): Uint8Array<ArrayBuffer> {
  const writer = new Writer();
  writer.raw(PREFIX);
  writer.tag(1, WireType.bytes);
  const typeMeta = writer.begin();
  writer.tag(1, WireType.bytes);
  writer.string(apiVersion);
  writer.tag(2, WireType.bytes);
  writer.string(kind);
  writer.end(typeMeta);
  writer.tag(2, WireType.bytes);
  const raw = writer.begin();
  write(writer);
  writer.end(raw);
  for (const number of [3, 4]) {
    writer.tag(number, WireType.bytes);
    writer.string("");
  }
  return writer.written;
}
