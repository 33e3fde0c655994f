import type { Duplex } from "node:stream";

/** Settles when the connection takes more; at once when it is gone. Leaves nothing on it: a session waits many times. */
export function drained(socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      socket.off("drain", settle);
      socket.off("close", settle);
      resolve();
    };
    socket.on("drain", settle);
    socket.on("close", settle);
    if (socket.destroyed || !socket.writableNeedDrain) settle();
  });
}
