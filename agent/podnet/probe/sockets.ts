import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { PROBE_PORT } from "./message.ts";

/** A datagram that came to one of this node's addresses. */
export interface Received {
  bytes: Uint8Array;
  /** Of this node. */
  local: string;
  from: Pick<RemoteInfo, "address" | "port">;
}

/**
 * A socket on each of the addresses that probes go from and come to: what is sent has the right source, and what comes is
 * known by where it came to. An address that is not there (yet), or whose port another agent of the machine has, has none.
 */
export class ProbeSockets {
  readonly #onReceived: (received: Received) => void;
  readonly #sockets = new Map<string, Socket>();
  #wanted: ReadonlySet<string> = new Set();
  /** What is being opened: it may not be wanted any more when it is there. */
  readonly #opening = new Map<string, Promise<void>>();
  /** For what is encapsulated here: from any port, as the kernel's own are. */
  readonly #senders = new Map<string, Socket>();

  constructor(onReceived: (received: Received) => void) {
    this.#onReceived = onReceived;
  }

  /** Opens what is missing, and closes what is not among them. Settles when nothing is being opened any more. */
  async follow(addresses: readonly string[]): Promise<void> {
    this.#wanted = new Set(addresses);
    for (const sockets of [this.#sockets, this.#senders]) {
      for (const [address, socket] of sockets) {
        if (this.#wanted.has(address)) continue;
        sockets.delete(address);
        socket.close();
      }
    }
    for (const address of this.#wanted) {
      if (this.#sockets.has(address) || this.#opening.has(address)) continue;
      const opening = this.#open(address)
        .catch(() => {})
        .finally(() => this.#opening.delete(address));
      this.#opening.set(address, opening);
    }
    await Promise.all(this.#opening.values());
  }

  has(local: string): boolean {
    return this.#sockets.has(local);
  }

  /** @param local the address that it is sent from. Lost, as any datagram may be, if there is no socket on it. */
  send(bytes: Uint8Array, { local, to }: { local: string; to: string }): void {
    this.#sockets.get(local)?.send(bytes, PROBE_PORT, to, () => {});
  }

  /** From a port that nobody knows, to any. */
  sendFromAnyPort(bytes: Uint8Array, { local, to, port }: { local: string; to: string; port: number }): void {
    let sender = this.#senders.get(local);
    if (!sender) {
      const opened = createSocket(typeOf(local)).unref();
      // The address has gone: the next look opens another.
      opened.on("error", () => {
        if (this.#senders.get(local) !== opened) return; // closed meanwhile
        this.#senders.delete(local);
        opened.close();
      });
      opened.bind(0, local);
      this.#senders.set(local, opened);
      sender = opened;
    }
    sender.send(bytes, port, to, () => {});
  }

  close(): void {
    this.#wanted = new Set();
    for (const socket of [...this.#sockets.values(), ...this.#senders.values()]) socket.close();
    this.#sockets.clear();
    this.#senders.clear();
  }

  /** @throws Error if the address is not this machine's, or its port is taken */
  async #open(local: string): Promise<void> {
    const socket = createSocket(typeOf(local)).unref();
    try {
      socket.bind(PROBE_PORT, local);
      await once(socket, "listening");
    } catch (error) {
      socket.close();
      throw error;
    }
    if (!this.#wanted.has(local)) return void socket.close();
    socket.on("error", () => {}); // of one datagram: the next is sent all the same
    socket.on("message", (bytes, from) => this.#onReceived({ bytes, local, from }));
    this.#sockets.set(local, socket);
  }
}

const typeOf = (address: string) => (address.includes(":") ? "udp6" : "udp4");
