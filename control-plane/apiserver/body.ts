import { requestTooLarge } from "../../shared/api/status.ts";

/** Upstream's limit of a request body (3 MiB). */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

const tooLarge = () => requestTooLarge(`Request entity too large: limit is ${MAX_BODY_BYTES}`);

/**
 * The text of a request's body.
 * @throws ApiError 413 past MAX_BODY_BYTES, before more than that is held
 */
export async function readBody(request: Request): Promise<string> {
  if (!request.body) return "";
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > MAX_BODY_BYTES) throw tooLarge();
  if (declared !== null) return request.text();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of request.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw tooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
