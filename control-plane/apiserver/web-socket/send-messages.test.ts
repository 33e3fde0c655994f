import { expect, it } from "vitest";
import { sendMessages } from "./send-messages.ts";

/** Sends chunks of 10 bytes. @returns what the client got, the close, and whether the stream was read to its end */
async function sent(chunks: number, mostBytes: number) {
  let isCancelled = false;
  let left = chunks;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => (left-- > 0 ? controller.enqueue(new Uint8Array(10)) : controller.close()),
    cancel: () => {
      isCancelled = true;
    },
  });
  const { webSocket } = sendMessages(stream, (bytes) => [`${bytes.length}`], {
    protocol: "",
    first: "first",
    mostBytes,
  });
  const messages: unknown[] = [];
  const closed = Promise.withResolvers<CloseEvent>();
  webSocket!.addEventListener("message", ({ data }) => void messages.push(data));
  webSocket!.addEventListener("close", closed.resolve);
  webSocket!.accept();
  const { code } = await closed.promise;
  return { messages, code, isCancelled };
}

it("a stream is sent to its end", async () => {
  expect(await sent(3, 30)).toEqual({ messages: ["first", "10", "10", "10"], code: 1000, isCancelled: false });
});

it("what would be too much for the isolate's memory is not read any more, and the client told to ask again", async () => {
  expect(await sent(1_000_000, 25)).toEqual({ messages: ["first", "10", "10"], code: 1013, isCancelled: true });
});
