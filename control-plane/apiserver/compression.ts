import type { Answer } from "./call.ts";

/** Smaller answers are not worth a compressor's time (upstream's bound). */
export const MIN_COMPRESSED_BYTES = 128 * 1024;

/** Whether a client takes gzip; what it says of qualities counts for nothing, as upstream. */
export const takesGzip = (acceptEncoding: string | null): boolean =>
  (acceptEncoding ?? "").split(",").some((clause) => clause.split(";", 1)[0]!.trim() === "gzip");

/** A large answer in gzip, any other as it is. A stream is held until it is known to be large, not longer. */
export async function compressed(answer: Answer): Promise<Answer> {
  const { body } = answer;
  if (body === null || body === "") return answer;
  if (typeof body === "string") {
    // No character takes more than three bytes.
    if (body.length * 3 < MIN_COMPRESSED_BYTES) return answer;
    const bytes = new TextEncoder().encode(body);
    return bytes.length < MIN_COMPRESSED_BYTES ? answer : inGzip(answer, [bytes]);
  }
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let length = 0; length < MIN_COMPRESSED_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) return { ...answer, body: new Blob(chunks).stream() };
    chunks.push(value as Uint8Array<ArrayBuffer>);
    length += value.length;
  }
  return inGzip(answer, chunks, reader);
}

function inGzip(answer: Answer, chunks: Uint8Array[], rest?: ReadableStreamDefaultReader<Uint8Array>): Answer {
  const { readable, writable } = new CompressionStream("gzip");
  void pump(chunks, rest, writable.getWriter());
  const headers = { ...answer.headers, "content-encoding": "gzip", vary: varyOf(answer.headers.vary) };
  return { ...answer, headers, body: readable };
}

/**
 * Writes some bytes, and then what a reader still has, as fast as they are taken. A stream of our own making as the
 * source would do, but under load the runtime stops asking such a one for more.
 */
async function pump(
  chunks: readonly Uint8Array[],
  rest: ReadableStreamDefaultReader<Uint8Array> | undefined,
  writer: WritableStreamDefaultWriter<BufferSource>,
): Promise<void> {
  try {
    for (const chunk of chunks) await writer.write(chunk as Uint8Array<ArrayBuffer>);
    for (let next = await rest?.read(); next && !next.done; next = await rest!.read()) {
      await writer.write(next.value as Uint8Array<ArrayBuffer>);
    }
    await writer.close();
  } catch (error) {
    // The client is gone, or the list broke off: whoever still reads has to see it.
    await rest?.cancel(error).catch(() => undefined);
    await writer.abort(error).catch(() => undefined);
  }
}

const varyOf = (vary: string | undefined) =>
  vary === undefined || vary.includes("Accept-Encoding") ? (vary ?? "Accept-Encoding") : `Accept-Encoding, ${vary}`;
