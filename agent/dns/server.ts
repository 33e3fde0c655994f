import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { createServer, type Server as TcpServer, type Socket as TcpSocket } from "node:net";
import type { Log } from "../log/index.ts";
import { framed } from "./exchange.ts";
import { limitBytes, MAX_QUERY_BYTES, parseQuery, type Query } from "./message.ts";

const MAX_CONNECTIONS = 1000;
const IDLE_MS = 10_000;
/** Questions that wait for other servers. Beyond, datagrams are not answered: their askers ask again. */
const MAX_WAITING = 2000;

export interface ServerOptions {
  address: string;
  port: number;
  /** @throws whatever: the asker is told of a failure */
  resolve(query: Query, limit: number): Buffer | Promise<Buffer>;
  fail(query: Query): Buffer;
  log: Log;
}

export interface NameServer {
  udpPort: number;
  tcpPort: number;
  close(): Promise<void>;
}

/** Answers over UDP and TCP; on ports that are free when the wanted one is somebody else's. @throws Error when it can listen on none */
export async function serveNames(options: ServerOptions): Promise<NameServer> {
  const { address, port } = options;
  let waiting = 0;
  const answer = async (bytes: Buffer, transport: "udp" | "tcp"): Promise<Buffer | undefined> => {
    const incoming = parseQuery(bytes);
    if (!incoming) return undefined;
    if ("refusal" in incoming) return incoming.refusal;
    if (waiting >= MAX_WAITING) return undefined;
    waiting++;
    try {
      return await options.resolve(incoming.query, limitBytes(incoming.query, transport));
    } catch (error) {
      options.log("error", "a question could not be answered", { error: String(error) });
      return options.fail(incoming.query);
    } finally {
      waiting--;
    }
  };

  const listenUdp = async (at: number): Promise<Socket> => {
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    socket.on("message", (bytes: Buffer, from: RemoteInfo) => {
      void answer(bytes, "udp").then((reply) => reply && socket.send(reply, from.port, from.address, () => undefined));
    });
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.bind(at, address, () => resolve());
    });
    socket.removeAllListeners("error").on("error", (error) => {
      options.log("error", "the socket for names", { error: String(error) });
    });
    return socket;
  };

  const connections = new Set<TcpSocket>();
  const listenTcp = async (at: number): Promise<TcpServer> => {
    const server = createServer((socket) => {
      connections.add(socket);
      socket.on("close", () => connections.delete(socket)).on("error", () => socket.destroy());
      socket.setTimeout(IDLE_MS, () => socket.destroy());
      void answerStream(socket, (bytes) => answer(bytes, "tcp"));
    });
    server.maxConnections = MAX_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(at, address, () => resolve());
    });
    return server;
  };

  const udp = await orAnyPort(port, listenUdp);
  const tcp = await orAnyPort(port, listenTcp).catch((error: unknown) => {
    udp.close();
    throw error;
  });
  return {
    udpPort: udp.address().port,
    tcpPort: (tcp.address() as { port: number }).port,
    close: async () => {
      for (const connection of connections) connection.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
}

async function orAnyPort<T>(port: number, listen: (port: number) => Promise<T>): Promise<T> {
  try {
    return await listen(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return listen(0);
  }
}

/** One question after the other, so that a stream costs no more than the answer that it waits for. */
async function answerStream(socket: TcpSocket, answer: (bytes: Buffer) => Promise<Buffer | undefined>): Promise<void> {
  let received = Buffer.alloc(0);
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2) {
        const length = received.readUInt16BE(0);
        if (length > MAX_QUERY_BYTES) return void socket.destroy();
        if (received.length < 2 + length) break;
        const reply = await answer(received.subarray(2, 2 + length));
        received = received.subarray(2 + length);
        if (!reply) return void socket.destroy();
        if (!socket.write(framed(reply)) && !socket.destroyed) {
          await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
        }
      }
    }
  } catch {
    // The other side went away in the middle of it: nobody is left to be told.
  }
}
