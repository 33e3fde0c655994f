import { requestTooLarge } from "../../shared/api/status.ts";
import { decodeProtobuf, PROTOBUF_TYPE } from "../../shared/schema/index.ts";
import { mediaTypeOf } from "./negotiation.ts";

/** Upstream's limit of a request body (3 MiB). */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** How much of a body is read for nothing, so that its sender gets the answer: past it the connection may break. */
export const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

const tooLarge = () => requestTooLarge(`Request entity too large: limit is ${MAX_BODY_BYTES}`);

/**
 * The text of a request's body; JSON, if it came in protobuf.
 * @param kind what messages say that a body in protobuf should be
 * @throws ApiError 413 past MAX_BODY_BYTES, before more than that is held; 400 for malformed protobuf
 */
export async function readBody(request: Request, kind = "object"): Promise<string> {
  if (!request.body) return "";
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > MAX_BODY_BYTES) throw tooLarge();
  if (mediaTypeOf(request.headers.get("content-type")) === PROTOBUF_TYPE) {
    const bytes = declared !== null ? new Uint8Array(await request.arrayBuffer()) : await readBytes(request.body);
    return bytes.length === 0 ? "" : JSON.stringify(decodeProtobuf(bytes, kind).object);
  }
  if (declared !== null) return request.text();
  return new TextDecoder().decode(await readBytes(request.body));
}

/**
 * Reads what a request sent and nobody wanted: one refused by its path, say. workerd closes a connection with unread
 * bytes on it, and a close like that can overtake the answer.
 */
export async function discardBody({ body, bodyUsed }: Request): Promise<void> {
  if (!body || bodyUsed || body.locked) return;
  try {
    await discard(body.getReader());
  } catch {
    // The client is gone, and with it whoever the answer is for.
  }
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let left = MAX_DISCARDED_BYTES; left > 0; ) {
    const { done, value } = await reader.read();
    if (done) return;
    left -= value.byteLength;
  }
  await reader.cancel();
}

/** Reads a body of unknown length. */
async function readBytes(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > MAX_BODY_BYTES) {
      await discard(reader);
      throw tooLarge();
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
