import { connect, createServer, type Socket } from "node:net";

/** Passes TCP connections on to a port of this machine, until they are cut. */
export class SeverableProxy {
  readonly port: number;
  #isCut = false;
  readonly #sockets = new Set<Socket>();
  readonly #close: () => void;

  private constructor(port: number, close: () => void) {
    this.port = port;
    this.#close = close;
  }

  static start(targetPort: number): Promise<SeverableProxy> {
    return new Promise((resolve, reject) => {
      const server = createServer((client) => proxy.#pass(client, targetPort));
      let proxy: SeverableProxy;
      server.once("error", reject);
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as { port: number };
        proxy = new SeverableProxy(port, () => server.close());
        resolve(proxy);
      });
    });
  }

  /** Breaks what is open, and refuses the rest until `mend`. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.#close();
  }

  #pass(client: Socket, targetPort: number): void {
    if (this.#isCut) {
      client.destroy();
      return;
    }
    const target = connect(targetPort, "127.0.0.1");
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => {}); // it closes next
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
