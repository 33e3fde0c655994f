import { createSocket } from "node:dgram";
import { connect } from "node:net";
import type { Server } from "./corefile.ts";

const MAX_MESSAGE_BYTES = 65_535;

/**
 * Asks a server by a datagram from a port of its own, so that nobody can guess where the answer is waited for.
 * @param isAnswer what is not is passed over: somebody's guess, a late answer
 * @throws Error when the server refuses, or says nothing in time
 */
export function exchangeUdp(
  { address, port }: Server,
  query: Buffer,
  isAnswer: (bytes: Buffer) => boolean,
  timeoutMs: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    const settle = (end: () => void) => {
      clearTimeout(timer);
      socket.removeAllListeners().on("error", () => undefined);
      socket.close();
      end();
    };
    const fail = (error: Error) => settle(() => reject(error));
    const timer = setTimeout(() => fail(new Error(`no answer from ${address}`)), timeoutMs);
    socket.on("error", fail);
    socket.on("message", (bytes) => {
      if (isAnswer(bytes)) settle(() => resolve(bytes));
    });
    // Connected, so that a port without a server is told at once.
    socket.connect(port, address, () => socket.send(query, (error) => error && fail(error)));
  });
}

/** Asks over TCP, as for answers that no datagram holds. @throws Error as `exchangeUdp` */
export function exchangeTcp(
  { address, port }: Server,
  query: Buffer,
  isAnswer: (bytes: Buffer) => boolean,
  timeoutMs: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    let received = Buffer.alloc(0);
    const settle = (end: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      end();
    };
    const fail = (error: Error) => settle(() => reject(error));
    const timer = setTimeout(() => fail(new Error(`no answer from ${address}`)), timeoutMs);
    socket.on("error", fail);
    socket.on("close", () => fail(new Error(`no whole answer from ${address}`)));
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length > MAX_MESSAGE_BYTES + 2) return fail(new Error(`too long an answer from ${address}`));
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const answer = received.subarray(2, 2 + received.readUInt16BE(0));
      if (isAnswer(answer)) settle(() => resolve(answer));
      else fail(new Error(`another's answer from ${address}`));
    });
    socket.write(framed(query));
  });
}

/** With its length before it (RFC 1035 4.2.2). */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
