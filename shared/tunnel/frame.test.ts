import { describe, expect, it } from "vitest";
import { decodeFrame, encodeFrame, type Frame } from "./frame.ts";
import { MAX_DATA_BYTES, MAX_META_BYTES, MAX_STREAMS_PER_SIDE } from "./limits.ts";

const request = {
  kind: "request" as const,
  method: "GET" as const,
  path: "/api/v1/pods?watch=true",
  headers: { a: "b" },
};

const head = (status: number, headers: Record<string, string>): Frame => ({
  type: "head",
  id: 1,
  meta: { status, headers },
});

describe("frames", () => {
  it.each<Frame>([
    { type: "open", id: 1, meta: request, end: true },
    { type: "open", id: 2 ** 30 - 1, meta: request, end: false },
    { type: "head", id: 1, meta: { status: 200, headers: { "content-type": "text/plain" } } },
    { type: "data", id: 7, bytes: new Uint8Array([1, 2, 3]) },
    { type: "data", id: 7, bytes: new Uint8Array(MAX_DATA_BYTES) },
    { type: "end", id: 7 },
    { type: "reset", id: 7, meta: { code: "lost", message: "the stream is not known" } },
    { type: "window", id: 7, bytes: 262_144 },
    { type: "query" },
    { type: "streams", ids: [] },
    { type: "streams", ids: [1, 2, 4_000_000_000] },
  ])("come back as they were: $type", (frame) => {
    expect(decodeFrame(encodeFrame(frame))).toEqual(frame);
  });

  it.each([
    { name: "too short", bytes: [1, 0, 0] },
    { name: "of an unknown type", bytes: [99, 0, 0, 0, 1] },
    { name: "whose meta is no JSON", bytes: [1, 0, 0, 0, 1, 0x7b] },
    { name: "whose meta is no UTF-8", bytes: [1, 0, 0, 0, 1, 0xff, 0xfe] },
    { name: "whose meta is of another shape", bytes: [2, 0, 0, 0, 1, ...Buffer.from('{"status":"200","headers":{}}')] },
    {
      name: "whose path is no path",
      bytes: [1, 0, 0, 0, 1, ...Buffer.from(JSON.stringify({ ...request, path: "x" }))],
    },
    { name: "with credit of a wrong length", bytes: [6, 0, 0, 0, 1, 0] },
    { name: "naming half a stream", bytes: [8, 0, 0, 0, 0, 1, 2] },
    { name: "with too much data", bytes: [3, 0, 0, 0, 1, ...new Uint8Array(MAX_DATA_BYTES + 1)] },
    { name: "with too long a meta", bytes: [1, 0, 0, 0, 1, ...new Uint8Array(MAX_META_BYTES + 1)] },
    { name: "naming too many streams", bytes: [8, 0, 0, 0, 0, ...new Uint8Array(4 * (2 * MAX_STREAMS_PER_SIDE + 1))] },
  ])("are refused: one $name", ({ bytes }) => {
    expect(() => decodeFrame(new Uint8Array(bytes))).toThrowError(expect.objectContaining({ code: "protocol" }));
  });

  it("are not made too large", () => {
    expect(() => encodeFrame({ type: "data", id: 1, bytes: new Uint8Array(MAX_DATA_BYTES + 1) })).toThrow();
    const meta = { ...request, path: `/${"x".repeat(MAX_META_BYTES)}` };
    expect(() => encodeFrame({ type: "open", id: 1, meta, end: true })).toThrow();
  });

  it.each<{ name: string; frame: Frame }>([
    { name: "a header that is too long", frame: head(200, { a: "x".repeat(16_385) }) },
    { name: "a status that is none", frame: head(999, {}) },
    { name: "a path that is none", frame: { type: "open", id: 1, meta: { ...request, path: "x" }, end: true } },
  ])("are not made with $name, at which the peer would close the connection", ({ frame }) =>
    expect(() => encodeFrame(frame)).toThrowError(expect.objectContaining({ code: "protocol" })),
  );

  it("of a reset keep the beginning of a long message", () => {
    const frame: Frame = { type: "reset", id: 1, meta: { code: "internal", message: "x".repeat(9_999) } };
    expect(decodeFrame(encodeFrame(frame))).toMatchObject({ meta: { message: "x".repeat(4_096) } });
  });
});
