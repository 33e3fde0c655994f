/**
 * Objects in protobuf, the form that client-go's typed clients prefer: an envelope that tells the kind, and the object.
 * Bodies that are read give what the same object is in JSON; types, defaults and unknown fields are judged there.
 * Answers are made of the JSON in turn, byte for byte as upstream writes them.
 */
import type { JsonObject } from "../../api/json.ts";
import { badRequest } from "../../api/status.ts";
import { decodeMessage } from "./decode.ts";
import { PREFIX } from "./envelope.ts";
import { messageOfKind } from "./kinds.ts";
import { ProtobufError, Reader, WireType } from "./reader.ts";

export { encodeProtobuf, encodeProtobufEvent, encodeProtobufList } from "./envelope.ts";

export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

/** How much of a body a message shows. */
const SHOWN_BYTES = 30;

export interface DecodedProtobuf {
  apiVersion: string;
  kind: string;
  /** With `apiVersion` and `kind`; fields with their JSON names, empty ones left out as JSON leaves them out. */
  object: JsonObject;
}

/**
 * Reads a body in protobuf. Fields that the kind does not have are passed over. Whether the kind is the right one is for
 * the caller to check.
 * @param expectedKind what messages say the body must be
 * @throws ApiError 400 for what is malformed or of an unknown kind
 */
export function decodeProtobuf(bytes: Uint8Array, expectedKind: string): DecodedProtobuf {
  let envelope: Envelope | undefined;
  try {
    envelope = readEnvelope(bytes);
    const { apiVersion, kind, raw } = envelope;
    const object = { apiVersion, kind, ...decodeMessage(new Reader(raw), messageOfKind(apiVersion, kind)) };
    return { apiVersion, kind, object };
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    if (!envelope?.kind) {
      const why = `${error.message} (${summarize(bytes)})`;
      throw badRequest(`the object provided is unrecognized (must be of type ${expectedKind}): ${why}`);
    }
    const version = JSON.stringify(envelope.apiVersion.split("/").at(-1));
    throw badRequest(`${envelope.kind} in version ${version} cannot be handled as a ${expectedKind}: ${error.message}`);
  }
}

interface Envelope {
  apiVersion: string;
  kind: string;
  raw: Uint8Array;
}

/** runtime.Unknown: `{typeMeta=1 {apiVersion=1, kind=2}, raw=2}`; its content type and encoding count for nothing. */
function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new ProtobufError("empty data");
  if (PREFIX.some((byte, at) => bytes[at] !== byte)) {
    const prefix = `[${PREFIX.join(" ")}]`;
    throw new ProtobufError(`provided data does not appear to be a protobuf message, expected prefix ${prefix}`);
  }
  if (bytes.length === PREFIX.length) throw new ProtobufError("empty body");
  const envelope: Envelope = { apiVersion: "", kind: "", raw: new Uint8Array() };
  const reader = new Reader(bytes, PREFIX.length);
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === fieldTag(1)) readTypeMeta(reader, envelope);
    else if (tag === fieldTag(2)) envelope.raw = reader.bytes();
    else reader.skip(tag & 7);
  }
  return envelope;
}

function readTypeMeta(reader: Reader, envelope: Envelope): void {
  const outer = reader.enter();
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === fieldTag(1)) envelope.apiVersion = reader.string();
    else if (tag === fieldTag(2)) envelope.kind = reader.string();
    else reader.skip(tag & 7);
  }
  reader.leave(outer);
}

const fieldTag = (number: number) => (number << 3) | WireType.bytes;

const OPENING_BRACE = 0x7b;

/** What looks like JSON is shown as it is. */
function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  if (bytes[0] === OPENING_BRACE) {
    const text = new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES));
    return bytes.length > SHOWN_BYTES ? `${text} ...` : text;
  }
  const shown = Array.from(bytes.subarray(0, SHOWN_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return bytes.length > SHOWN_BYTES ? `${shown} ...` : shown;
}
