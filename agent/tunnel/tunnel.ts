import WebSocket from "ws";
import { messageOf } from "../../shared/message-of.ts";
import {
  CLOSE_REPLACED,
  DEAD_PEER_MS,
  MAX_BUFFERED_BYTES,
  MAX_FRAME_BYTES,
  Multiplexer,
  PING_INTERVAL_MS,
  PING_TEXT,
  PONG_TEXT,
  SEEN_ADDRESS_HEADER,
  STREAMS_CHECK_MS,
  TunnelError,
  type TunnelStream,
} from "../../shared/tunnel/index.ts";
import { reconnectDelayMs } from "./backoff.ts";
import { explainFailure } from "./failure.ts";
import { checkApiIdentity } from "./server-identity.ts";

const HANDSHAKE_TIMEOUT_MS = 10_000;
const CLOSE_GRACE_MS = 500;
/** Twice what our streams can have under way. */
const MAX_UNSENT_BYTES = 2 * MAX_BUFFERED_BYTES;

export interface TunnelOptions {
  /** The cluster's API, e.g. `https://cp.example:6443` or `https://hearth.example/clusters/lab`. */
  endpoint: string;
  /** The node's credential, sent as a bearer token. */
  credential: string;
  /** PEM of the only CA to trust; undefined: the system's. */
  ca?: string;
  agentVersion: string;
  /** Answers what the control plane asks of this node. */
  onStream(stream: TunnelStream): void;
  log?(message: string): void;
}

/**
 * The agent's end of the tunnel: dials, keeps the connection alive, and dials again for as long as it is not stopped.
 * Nothing is queued while there is no connection: streams fail at once, and their owners back off.
 */
export class Tunnel {
  readonly #options: TunnelOptions;
  readonly #connectedListeners = new Set<() => void>();
  #socket: WebSocket | undefined;
  #mux: Multiplexer | undefined;
  #failures = 0;
  #lastFailure = "the tunnel was not started";
  #retry: NodeJS.Timeout | undefined;
  #stopped = true;
  /** Of this machine, from which the live connection was made. */
  #localAddress: string | undefined;
  #seenAddress: string | undefined;

  constructor(options: TunnelOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#mux !== undefined && !this.#mux.isClosed;
  }

  /** Why there is no connection, in words for the operator. */
  get lastFailure(): string {
    return this.#lastFailure;
  }

  /** The live connection. @throws TunnelError "disconnected" when there is none */
  get mux(): Multiplexer {
    if (!this.#mux || this.#mux.isClosed) {
      throw new TunnelError("disconnected", `no connection to the control plane: ${this.#lastFailure}`);
    }
    return this.#mux;
  }

  /** From which the control plane sees the last connection come, if it has told: a router's where one changes addresses. */
  get seenAddress(): string | undefined {
    return this.#seenAddress;
  }

  /** Called on each new connection, the present one included. Returns a function that takes the listener away. */
  onConnected(listener: () => void): () => void {
    this.#connectedListeners.add(listener);
    if (this.isConnected) listener();
    return () => this.#connectedListeners.delete(listener);
  }

  start(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#dial();
  }

  /**
   * Dials anew if the address that the connection was made from is not among `addresses`, those that this machine has
   * now: nobody else would tell, and the silence would last until the peer counts as dead.
   */
  noteAddresses(addresses: ReadonlySet<string>): void {
    if (!this.isConnected || this.#localAddress === undefined || addresses.has(this.#localAddress)) return;
    this.#note("this machine's address has changed");
    this.#socket?.terminate();
  }

  /** Ends all streams and does not dial again until `start`. Settles when the connection is gone. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#mux?.close("the agent is stopping");
    const socket = this.#socket;
    if (!socket || socket.readyState === WebSocket.CLOSED) return;
    const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.close(1000);
    // The other side may take its time to end the connection; the close frame is all it needs.
    const impatience = setTimeout(() => socket.terminate(), CLOSE_GRACE_MS);
    await gone;
    clearTimeout(impatience);
  }

  #dial(): void {
    const { endpoint, credential, ca, agentVersion } = this.#options;
    const url = `${endpoint.replace(/^http/, "ws").replace(/\/$/, "")}/hearth/v1/tunnel`;
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${credential}`, "x-hearth-agent-version": agentVersion },
      ...(ca ? { ca, checkServerIdentity: checkApiIdentity } : {}),
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on("upgrade", ({ headers, socket: { localAddress } }) => {
      // A socket of both families writes IPv4 so.
      this.#localAddress = localAddress?.replace(/^::ffff:/, "");
      this.#seenAddress = headers[SEEN_ADDRESS_HEADER]?.toString();
    });
    socket.on("open", () => this.#opened(socket));
    // An error is always followed by "close", which does the rest.
    socket.on("error", (error) => this.#note(explainFailure(error, endpoint)));
    socket.on("unexpected-response", (request, response) => {
      this.#note(explainFailure(response.statusCode ?? 0, endpoint));
      request.destroy();
      socket.terminate();
    });
    socket.on("close", (code, reason) => this.#closed(socket, code, String(reason)));
  }

  #opened(socket: WebSocket): void {
    const mux = new Multiplexer({
      side: "agent",
      send: (bytes) => {
        // Flow control bounds what streams send; what is over that are answers to a peer that asks and does not read.
        if (socket.bufferedAmount <= MAX_UNSENT_BYTES) return socket.send(bytes);
        this.#note("the control plane does not read what it asks for");
        socket.terminate();
      },
      onStream: (stream) => this.#options.onStream(stream),
    });
    this.#mux = mux;
    this.#failures = 0;
    let lastPongMs = performance.now();
    socket.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) {
        if (data.toString() === PONG_TEXT) lastPongMs = performance.now();
        return;
      }
      try {
        mux.receive(data);
      } catch (error) {
        this.#note(messageOf(error));
        socket.terminate();
      }
    });
    const ping = () => {
      if (performance.now() - lastPongMs > DEAD_PEER_MS) {
        this.#note(`the control plane does not answer for ${DEAD_PEER_MS / 1000} s`);
        socket.terminate();
        return;
      }
      socket.send(PING_TEXT);
    };
    ping();
    const pings = setInterval(ping, PING_INTERVAL_MS);
    // With no stream open there is nothing to check, and the other side may stay asleep.
    const checks = setInterval(() => mux.streamCount > 0 && mux.sendStreams(), STREAMS_CHECK_MS);
    socket.on("close", () => {
      clearInterval(pings);
      clearInterval(checks);
    });
    this.#options.log?.("connected to the control plane");
    for (const listener of this.#connectedListeners) listener();
  }

  #closed(socket: WebSocket, code: number, reason: string): void {
    if (reason) this.#note(`the control plane closed the connection: ${reason} (${code})`);
    else if (this.#mux) this.#note("the connection was lost");
    this.#mux?.close(this.#lastFailure);
    this.#mux = undefined;
    if (this.#stopped || this.#socket !== socket) return;
    // Two agents with one credential would otherwise throw each other out twice a second.
    if (code === CLOSE_REPLACED) this.#failures = Number.POSITIVE_INFINITY;
    const delayMs = reconnectDelayMs(this.#failures, Math.random());
    this.#failures++;
    this.#options.log?.(`no connection: ${this.#lastFailure}; next attempt in ${(delayMs / 1000).toFixed(1)} s`);
    this.#retry = setTimeout(() => this.#dial(), delayMs);
  }

  #note(failure: string): void {
    this.#lastFailure = failure;
  }
}
