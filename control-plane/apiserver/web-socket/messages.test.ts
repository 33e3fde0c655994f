import { describe, expect, it } from "vitest";
import { logMessages, protobufMessages, textMessages } from "./index.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Every way to cut bytes in two. */
const cuts = (all: Uint8Array) => [...all.keys()].map((at) => [all.subarray(0, at), all.subarray(at)]);

describe("of a watch", () => {
  it("each line is a text, however the stream is cut", () => {
    for (const parts of cuts(utf8('{"a":"é"}\n{"b":1}\n'))) {
      const messages = textMessages();
      expect(parts.flatMap((part) => [...messages(part)])).toEqual(['{"a":"é"}\n', '{"b":1}\n']);
    }
  });

  it("each frame is a message of bytes without its length", () => {
    for (const parts of cuts(new Uint8Array([0, 0, 0, 2, 7, 8, 0, 0, 0, 0, 0, 0, 0, 1, 9]))) {
      const messages = protobufMessages();
      const want = [new Uint8Array([7, 8]), new Uint8Array([]), new Uint8Array([9])];
      expect(parts.flatMap((part) => [...messages(part)])).toEqual(want);
    }
  });
});

describe("of a log", () => {
  it.each([
    { protocol: "binary.k8s.io", first: utf8(""), want: utf8("hi") },
    { protocol: "", first: utf8(""), want: utf8("hi") },
    { protocol: "base64.binary.k8s.io", first: "", want: "aGk=" },
  ])("with the protocol $protocol", ({ protocol, first, want }) => {
    const log = logMessages(protocol);
    expect(log.first).toEqual(first);
    expect([...log.messages(utf8("hi"))]).toEqual([want]);
  });
});
