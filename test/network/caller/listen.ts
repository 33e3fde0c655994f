import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Listen } from "./protocol.ts";

/** Runs until the process ends. @throws Error when the port is taken */
export async function listen({ protocol, address, port, name }: Listen): Promise<void> {
  if (protocol === "UDP") {
    const socket = createSocket("udp4");
    socket.on("message", (_data, from) => socket.send(`${name} ${from.address}\n`, from.port, from.address));
    socket.bind(port, address);
    await once(socket, "listening");
    return;
  }
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write(`${name} ${socket.remoteAddress}\n`);
    socket.pipe(socket);
  });
  server.listen({ port, host: address, backlog: 1_024 });
  await once(server, "listening");
}
