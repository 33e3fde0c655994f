import { describe, expect, it } from "vitest";
import type { Answer } from "./call.ts";
import { compressed, MIN_COMPRESSED_BYTES, takesGzip } from "./compression.ts";

const LARGE = "x".repeat(MIN_COMPRESSED_BYTES);
const answer = (body: Answer["body"]): Answer => ({ code: 200, headers: { vary: "Accept" }, body });
const streamed = (text: string) => new Response(text).body!;

async function plain({ body, headers }: Answer): Promise<string> {
  if (headers["content-encoding"] !== "gzip") return new Response(body).text();
  return new Response((body as ReadableStream).pipeThrough(new DecompressionStream("gzip"))).text();
}

describe("an answer", () => {
  it.each([
    { name: "a large text", body: () => LARGE, text: LARGE, isGzip: true },
    { name: "a text below the bound", body: () => LARGE.slice(1), text: LARGE.slice(1), isGzip: false },
    { name: "a large stream", body: () => streamed(`${LARGE}${LARGE}`), text: `${LARGE}${LARGE}`, isGzip: true },
    { name: "a small stream", body: () => streamed("small"), text: "small", isGzip: false },
    { name: "nothing", body: () => null, text: "", isGzip: false },
  ])("of $name is compressed: $isGzip", async ({ body, text, isGzip }) => {
    const got = await compressed(answer(body()));
    expect(got.headers["content-encoding"]).toBe(isGzip ? "gzip" : undefined);
    if (isGzip) expect(got.headers.vary).toBe("Accept-Encoding, Accept");
    expect(await plain(got)).toBe(text);
  });
});

it.each([
  { header: null, want: false },
  { header: "gzip", want: true },
  { header: "br, gzip;q=0.1", want: true },
  { header: "identity", want: false },
  { header: "*", want: false },
])("$header takes gzip: $want", ({ header, want }) => expect(takesGzip(header)).toBe(want));
