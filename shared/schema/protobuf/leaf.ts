import type { Json } from "../../api/json.ts";
import { encodeBase64 } from "../base64.ts";
import type { LeafKind } from "./message.ts";
import { ProtobufError, type Reader, WireType } from "./reader.ts";

/** The JSON of a value that has no parts. Undefined: no time at all (Go's zero), or no JSON. */
export function readLeaf(reader: Reader, kind: LeafKind): Json | undefined {
  switch (kind) {
    case "string":
      return reader.string();
    case "boolean":
      return reader.boolean();
    case "int32":
      return reader.int32();
    case "int64":
      return reader.int64();
    case "double":
      return finite(reader.double());
    case "bytes":
      return encodeBase64(reader.bytes());
    case "time":
      return readTime(reader, false);
    case "microTime":
      return readTime(reader, true);
    case "quantity":
      return readQuantity(reader);
    case "intOrString":
      return readIntOrString(reader);
    case "json":
      return readJson(reader);
    default:
      throw new Error(`unknown leaf ${kind satisfies never}`);
  }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new ProtobufError(`json: unsupported value: ${value}`);
  return value;
}

/** Calls back for each field of the message that comes next; a field that is not taken is skipped. */
function eachField(reader: Reader, take: (number: number, wireType: number) => boolean): void {
  const outer = reader.enter();
  while (!reader.isDone) {
    const tag = reader.tag();
    const wireType = tag & 7;
    if (!take(Math.floor(tag / 8), wireType)) reader.skip(wireType);
  }
  reader.leave(outer);
}

/** Go's zero time, in seconds of the epoch. */
const ZERO_TIME_SECONDS = -62135596800;
const MAX_TIME_SECONDS = 253402300799;
const NANOS_PER_MICRO = 1000;
const NANOS_PER_SECOND = 1e9;

/** `{seconds=1, nanos=2}`. A Time keeps whole seconds, a MicroTime six digits; nothing at all is the zero time. */
function readTime(reader: Reader, hasMicros: boolean): string | undefined {
  let seconds = 0;
  let nanos = 0;
  let isEmpty = true;
  eachField(reader, (number, wireType) => {
    isEmpty = false;
    if (wireType !== WireType.varint) return false;
    if (number === 1) seconds = reader.int64();
    else if (number === 2) nanos = reader.int32();
    else return false;
    return true;
  });
  if (isEmpty) return undefined;
  if (hasMicros) seconds += Math.floor(nanos / NANOS_PER_SECOND);
  if (seconds === ZERO_TIME_SECONDS) return undefined;
  // Past the year 9999 there is no RFC 3339 text: upstream can not print it either.
  if (seconds < ZERO_TIME_SECONDS || seconds > MAX_TIME_SECONDS) {
    throw new ProtobufError("Time.MarshalJSON: year outside of range [0,9999]");
  }
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (!hasMicros) return `${text}Z`;
  const micros = Math.floor((((nanos % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND) / NANOS_PER_MICRO);
  return `${text}.${String(micros).padStart(6, "0")}Z`;
}

/** `{string=1}`; what the text means is the JSON decoder's matter. */
function readQuantity(reader: Reader): string {
  let text = "0";
  eachField(reader, (number, wireType) => {
    if (number !== 1 || wireType !== WireType.bytes) return false;
    text = reader.string();
    return true;
  });
  return text;
}

/** `{type=1, intVal=2, strVal=3}`, type 1 being a string. */
function readIntOrString(reader: Reader): number | string {
  let type = 0;
  let int = 0;
  let text = "";
  eachField(reader, (number, wireType) => {
    if (number === 1 && wireType === WireType.varint) type = reader.int64();
    else if (number === 2 && wireType === WireType.varint) int = reader.int32();
    else if (number === 3 && wireType === WireType.bytes) text = reader.string();
    else return false;
    return true;
  });
  if (type !== 0 && type !== 1) throw new ProtobufError("impossible IntOrString.Type");
  return type === 1 ? text : int;
}

/** `{raw=1}`: JSON, not looked at by upstream's protobuf decoder but when it is written. */
function readJson(reader: Reader): Json | undefined {
  let text = "";
  eachField(reader, (number, wireType) => {
    if (number !== 1 || wireType !== WireType.bytes) return false;
    text = reader.string();
    return true;
  });
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new ProtobufError("json: error calling MarshalJSON for type json.RawMessage: invalid JSON");
  }
}
