import { connect, type Socket } from "node:net";
import { ResponseReader, type ResponseSink } from "./response-reader.ts";

/** workerd closes a connection that idles for 5 s; giving it up earlier means never writing into a closing one. */
const MAX_IDLE_MS = 4_000;
/** Kept for the next burst; more are made when needed and dropped afterwards. */
const MAX_IDLE_CONNECTIONS = 64;

export interface UpstreamRequest {
  method: string;
  /** As it stood in the request line. */
  path: string;
  /** Complete header lines, each with its line end; neither hop-by-hop nor framing headers. */
  headerLines: string;
  /** Bytes to come, -1 for "unknown" (sent in chunks), 0 for none. */
  bodyBytes: number;
}

/** What goes wrong with a request: `isSafeToRepeat` when workerd cannot have seen it. */
export interface UpstreamFailure {
  cause: Error;
  isSafeToRepeat: boolean;
}

export interface ExchangeSink extends ResponseSink {
  /** All that came in one piece was handed over: send it now. */
  flush(): void;
  onFailure(failure: UpstreamFailure): void;
  /** More body is welcome again after `write` returned false. */
  onDrain(): void;
}

/** Connections to workerd's Unix socket, each carrying one request at a time. */
export class Upstream {
  readonly #socketPath: string;
  readonly #idle: Connection[] = [];

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  start(request: UpstreamRequest, sink: ExchangeSink): Exchange {
    const exchange = new Exchange(this, request, sink);
    exchange.attach(this.#take() ?? this.open(), false);
    return exchange;
  }

  open(): Connection {
    return new Connection(connect(this.#socketPath), (connection) => this.#forget(connection));
  }

  /** Takes a connection back whose exchange is over. */
  giveBack(connection: Connection): void {
    connection.idleSinceMs = Date.now();
    if (this.#idle.length < MAX_IDLE_CONNECTIONS) this.#idle.push(connection);
    else connection.destroy();
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  #take(): Connection | undefined {
    const oldestMs = Date.now() - MAX_IDLE_MS;
    for (;;) {
      const connection = this.#idle.pop();
      if (!connection || connection.idleSinceMs >= oldestMs) return connection;
      connection.destroy();
    }
  }

  #forget(connection: Connection): void {
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

/** One socket and the exchange it serves. */
export class Connection {
  readonly socket: Socket;
  readonly reader = new ResponseReader();
  idleSinceMs = 0;
  exchange: Exchange | undefined;

  constructor(socket: Socket, onClose: (connection: Connection) => void) {
    this.socket = socket;
    socket.on("data", (bytes) => this.#read(bytes));
    socket.on("drain", () => this.exchange?.sink.onDrain());
    socket.on("error", (error) => this.exchange?.fail(error));
    socket.on("close", () => {
      onClose(this);
      this.exchange?.closed();
    });
  }

  destroy(): void {
    this.socket.destroy();
  }

  #read(bytes: Buffer): void {
    try {
      const { exchange } = this; // it may be over, and the connection another's, after the bytes
      this.reader.feed(bytes);
      if (this.exchange === exchange) exchange?.sink.flush();
    } catch (error) {
      this.exchange?.fail(error as Error);
      this.destroy();
    }
  }
}

/** One request and its answer. */
export class Exchange implements ResponseSink {
  readonly sink: ExchangeSink;
  readonly #upstream: Upstream;
  readonly #request: UpstreamRequest;
  #connection: Connection | undefined;
  #isFresh = true;
  #hasHead = false;
  /** The request's body is complete. */
  #isSent: boolean;
  #isOver = false;

  constructor(upstream: Upstream, request: UpstreamRequest, sink: ExchangeSink) {
    this.#upstream = upstream;
    this.#request = request;
    this.sink = sink;
    this.#isSent = request.bodyBytes === 0;
  }

  attach(connection: Connection, isFresh: boolean): void {
    const { method, path, headerLines, bodyBytes } = this.#request;
    this.#connection = connection;
    this.#isFresh = isFresh || connection.idleSinceMs === 0;
    connection.exchange = this;
    connection.reader.expect(method, this);
    const framing =
      bodyBytes === 0 ? "" : bodyBytes < 0 ? "Transfer-Encoding: chunked\r\n" : `Content-Length: ${bodyBytes}\r\n`;
    // A short body is there already, or comes with this turn's reads: it goes out with the head.
    if (bodyBytes !== 0) holdForThisTurn(connection.socket);
    connection.socket.write(`${method} ${path} HTTP/1.1\r\n${headerLines}${framing}\r\n`, "latin1");
  }

  /** @returns false when the body should pause until `onDrain` */
  write(chunk: Buffer): boolean {
    const socket = this.#connection?.socket;
    if (this.#isOver || !socket || chunk.length === 0) return true;
    if (this.#request.bodyBytes >= 0) return socket.write(chunk);
    socket.cork();
    socket.write(`${chunk.length.toString(16)}\r\n`, "latin1");
    socket.write(chunk);
    const isOpen = socket.write("\r\n", "latin1");
    socket.uncork();
    return isOpen;
  }

  /** The request's body is complete. */
  end(): void {
    if (this.#isOver || this.#isSent) return;
    this.#isSent = true;
    if (this.#request.bodyBytes < 0) this.#connection?.socket.write("0\r\n\r\n", "latin1");
  }

  /** The client went away: workerd sees its connection close, and cancels what it does for it. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release()?.destroy();
  }

  pause(): void {
    this.#connection?.socket.pause();
  }

  resume(): void {
    this.#connection?.socket.resume();
  }

  onHead(status: number, headers: string[]): void {
    this.#hasHead = true;
    this.sink.onHead(status, headers);
  }

  onData(chunk: Buffer): void {
    if (!this.#isOver) this.sink.onData(chunk);
  }

  onEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const connection = this.#release();
    // An answer before the whole body was sent (413, say): the rest has nowhere to go.
    const mayBeKept = connection && this.#isSent && !connection.reader.isLast && !connection.socket.destroyed;
    if (mayBeKept) this.#upstream.giveBack(connection);
    else connection?.destroy();
    this.sink.onEnd();
  }

  fail(cause: Error): void {
    if (this.#isOver) return;
    const connection = this.#release();
    connection?.destroy();
    if (!this.#isFresh && !this.#hasHead && isRead(this.#request.method)) {
      // The kept connection was closed under us; a read may be sent twice.
      this.attach(this.#upstream.open(), true);
      return;
    }
    this.#isOver = true;
    this.sink.onFailure({ cause, isSafeToRepeat: isConnectFailure(cause) });
  }

  closed(): void {
    if (this.#isOver) return;
    if (this.#connection?.reader.close()) return; // which ended the response
    this.fail(new Error("the connection to the control plane was closed"));
  }

  #release(): Connection | undefined {
    const connection = this.#connection;
    if (connection) connection.exchange = undefined;
    this.#connection = undefined;
    return connection;
  }
}

function holdForThisTurn(socket: Socket): void {
  socket.cork();
  setImmediate(() => socket.uncork());
}

const isRead = (method: string) => method === "GET" || method === "HEAD";

/** There was no socket, or nobody behind it: nothing was sent. */
function isConnectFailure(error: Error): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === "connect" && (code === "ENOENT" || code === "ECONNREFUSED");
}
