import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { encodeControl, encodeData, encodeSynStream, PING, SpdyDecoder } from "./spdy-frame.ts";

describe("SYN_STREAM", () => {
  it("carries the headers in a zlib stream that any inflater reads, one block after the other", () => {
    const first = encodeSynStream(1, { StreamType: "error" }, true);
    const second = encodeSynStream(3, { streamtype: "stdin" }, false);
    expect(first.readUInt16BE(0)).toBe(0x8003);
    expect(first.readUInt32BE(8)).toBe(1);
    const stream = Buffer.concat([first.subarray(18), second.subarray(18), Buffer.from([1, 0, 0, 0xff, 0xff])]);
    // A zlib stream ends with a checksum, which a connection never reaches: add it to satisfy the inflater.
    const plain = Buffer.concat([block("streamtype", "error"), block("streamtype", "stdin")]);
    expect(inflateSync(Buffer.concat([stream, adler32(plain)]))).toEqual(plain);
  });
});

function block(name: string, value: string): Buffer {
  const length = (n: number) => Buffer.from([0, 0, 0, n]);
  return Buffer.concat([length(1), length(name.length), Buffer.from(name), length(value.length), Buffer.from(value)]);
}

function adler32(bytes: Buffer): Buffer {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(((b << 16) | a) >>> 0);
  return sum;
}

describe("decoding", () => {
  it("finds the frames, however they were chunked", () => {
    const bytes = Buffer.concat([
      encodeData(5, Buffer.from("hello"), false),
      encodeControl(PING, 0, Buffer.from([0, 0, 0, 9])),
      encodeData(5, Buffer.alloc(0), true),
    ]);
    for (const size of [1, 7, 8, 13, bytes.length]) {
      const decoder = new SpdyDecoder();
      const frames = [];
      for (let i = 0; i < bytes.length; i += size) frames.push(...decoder.push(bytes.subarray(i, i + size)));
      expect(frames).toMatchObject([
        { type: "data", streamId: 5, fin: false, bytes: Buffer.from("hello") },
        { type: "control", kind: PING, payload: Buffer.from([0, 0, 0, 9]) },
        { type: "data", streamId: 5, fin: true },
      ]);
    }
  });

  it("refuses a frame that is too long, and another version", () => {
    expect(() => new SpdyDecoder().push(Buffer.from([0, 0, 0, 1, 0, 0xff, 0xff, 0xff]))).toThrow("SPDY frame of");
    expect(() => new SpdyDecoder().push(Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0]))).toThrow("not a SPDY/3 frame");
  });
});
