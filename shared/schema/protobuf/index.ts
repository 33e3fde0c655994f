/**
 * Request bodies in protobuf, the form in which client-go's typed clients send objects: an envelope that tells the kind,
 * and the object. It only reads, and gives what the same object is in JSON; types, defaults and unknown fields are
 * judged there. Answers are JSON: clients take both.
 */
import type { JsonObject } from "../../api/json.ts";
import { badRequest } from "../../api/status.ts";
import { RESOURCES } from "../registry.ts";
import { decodeMessage } from "./decode.ts";
import { type Message, messageOf } from "./message.ts";
import { ProtobufError, Reader, WireType } from "./reader.ts";

export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

/** `k8s` and a zero byte. */
const PREFIX = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);
const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
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

let packages: Map<string, string> | undefined;

/** The Go package that holds a group and version's types, with those of subresources. */
function packageOf(apiVersion: string): string | undefined {
  packages ??= new Map(
    RESOURCES.map(({ group, version, schema }) => [
      group === "" ? version : `${group}/${version}`,
      schema.slice(0, schema.lastIndexOf(".")),
    ]),
  );
  return packages.get(apiVersion);
}

/** The kinds of meta/v1 (DeleteOptions …) are in every group. */
function messageOfKind(apiVersion: string, kind: string): Message {
  if (kind === "") throw new ProtobufError(`Object 'Kind' is missing in '${apiVersion}'`);
  const packageName = packageOf(apiVersion);
  const message = (packageName && messageOf(`${packageName}.${kind}`)) || messageOf(`${META}.${kind}`);
  if (message) return message;
  const version = JSON.stringify(apiVersion);
  throw new ProtobufError(
    `no kind ${JSON.stringify(kind)} is registered for version ${version} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
  );
}

function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const shown = Array.from(bytes.subarray(0, SHOWN_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return bytes.length > SHOWN_BYTES ? `${shown} ...` : shown;
}
