import { expect, it } from "vitest";
import { encodeMessage, MAX_MESSAGE_BYTES, MessageDecoder } from "./messages.ts";

it("cuts a body into its messages, however it was chunked", () => {
  const messages = ["", "a", "bc".repeat(500)].map((text) => new TextEncoder().encode(text));
  const body = Buffer.concat(messages.map(encodeMessage));
  for (const size of [1, 3, 4, 5, 1000, body.length]) {
    const decoder = new MessageDecoder();
    const got: Uint8Array[] = [];
    for (let i = 0; i < body.length; i += size) got.push(...decoder.push(body.subarray(i, i + size)));
    expect(got.map((bytes) => Buffer.from(bytes).toString())).toEqual(messages.map((m) => Buffer.from(m).toString()));
  }
});

it("does not copy what it holds for every byte that comes", () => {
  const message = encodeMessage(new Uint8Array(MAX_MESSAGE_BYTES));
  const decoder = new MessageDecoder();
  const startedMs = performance.now();
  let got = 0;
  for (let i = 0; i < message.length; i++) got += decoder.push(message.subarray(i, i + 1)).length;
  expect(got).toBe(1);
  expect(performance.now() - startedMs).toBeLessThan(10_000); // half a terabyte of copying would take minutes
});

it("refuses messages over the bound on both sides", () => {
  expect(() => encodeMessage(new Uint8Array(MAX_MESSAGE_BYTES + 1))).toThrow("too large");
  expect(() => new MessageDecoder().push(new Uint8Array([0xff, 0, 0, 0]))).toThrow("too large");
});
