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
  const chunks: Uint8Array[] = [];
  for (let length = 0; length < MIN_COMPRESSED_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) return { ...answer, body: streamOf(chunks) };
    chunks.push(value);
    length += value.length;
  }
  return inGzip(answer, chunks, reader);
}

function inGzip(answer: Answer, chunks: Uint8Array[], rest?: ReadableStreamDefaultReader<Uint8Array>): Answer {
  const stream = streamOf(chunks, rest).pipeThrough(new CompressionStream("gzip"));
  const headers = { ...answer.headers, "content-encoding": "gzip", vary: varyOf(answer.headers.vary) };
  return { ...answer, headers, body: stream };
}

const varyOf = (vary: string | undefined) =>
  vary === undefined || vary.includes("Accept-Encoding") ? (vary ?? "Accept-Encoding") : `Accept-Encoding, ${vary}`;

/** Some bytes, and then what a reader still has. */
function streamOf(
  chunks: Uint8Array[],
  rest?: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const waiting = [...chunks] as Uint8Array<ArrayBuffer>[];
  return new ReadableStream({
    async pull(controller) {
      const chunk = waiting.shift();
      if (chunk) return controller.enqueue(chunk);
      const next = await rest?.read();
      if (!next || next.done) return controller.close();
      controller.enqueue(next.value as Uint8Array<ArrayBuffer>);
    },
    cancel: (reason) => rest?.cancel(reason),
  });
}
