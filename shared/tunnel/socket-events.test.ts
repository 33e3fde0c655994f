import { expect, it } from "vitest";
import { decodeSocketEvent, encodeSocketEvent, type SocketEvent } from "./socket-events.ts";

it.each([
  { type: "text", data: "" },
  { type: "text", data: "\ufeffgrüße" },
  { type: "binary", data: new Uint8Array([0, 255]) },
  { type: "close", code: 4001, reason: "good bye" },
  { type: "close", code: 1005, reason: "" },
] satisfies SocketEvent[])("$type comes out as it went in", (event) =>
  expect(decodeSocketEvent(encodeSocketEvent(event))).toEqual(event),
);

it.each([{ code: 1006 }, { code: 1015 }, { code: 0 }, { code: 5000 }])(
  "the code $code, which nobody may send, is none",
  ({ code }) =>
    expect(decodeSocketEvent(encodeSocketEvent({ type: "close", code, reason: "" }))).toMatchObject({ code: 1005 }),
);

it.each([{ bytes: [] }, { bytes: [3] }, { bytes: [2, 1] }, { bytes: [0, 255] }])("$bytes is no event", ({ bytes }) =>
  expect(() => decodeSocketEvent(new Uint8Array(bytes))).toThrow(),
);
