import { Duplex } from "node:stream";
import { expect, it } from "vitest";
import { drained } from "./drained.ts";

/** A connection that takes nothing more until it is told to. */
function aSlowSocket() {
  let take = () => {};
  const socket = new Duplex({
    highWaterMark: 1,
    read() {},
    write(_chunk, _encoding, done) {
      take = done;
    },
  });
  return { socket, take: () => take() };
}

it("waits until the connection takes more, and leaves nothing on it", async () => {
  const { socket, take } = aSlowSocket();
  for (let i = 0; i < 20; i++) {
    expect(socket.write("xx")).toBe(false);
    const waiting = drained(socket);
    let isDone = false;
    void waiting.then(() => {
      isDone = true;
    });
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    take();
    await waiting;
  }
  expect([socket.listenerCount("drain"), socket.listenerCount("close")]).toEqual([0, 0]);
});

it("waits for no connection that ends, or has ended", async () => {
  const { socket } = aSlowSocket();
  socket.write("xx");
  const waiting = drained(socket);
  socket.destroy();
  await waiting;
  await drained(socket);
});
