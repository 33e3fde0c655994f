import { internalError } from "../../shared/api/status.ts";
import { messageOf } from "../../shared/message-of.ts";
import {
  ACCEPTED_HEADER,
  decodeSocketEvent,
  encodeMessage,
  encodeSocketEvent,
  type HeadMeta,
  MAX_MESSAGE_BYTES,
  MessageDecoder,
  type Multiplexer,
  openMetaOf,
  TunnelError,
  type TunnelStream,
} from "../../shared/tunnel/index.ts";
import { methodRefused, responseOf, tunnelledRequest, unreachable } from "./tunnelled-request.ts";

/** Of `*.channel.k8s.io`: the channel that carries the final Status. */
const ERROR_CHANNEL = 3;

/** The kubelet's answer names the subprotocol it speaks; the client's handshake gets it. */
const PROTOCOL_HEADER = "sec-websocket-protocol";

/** Of a close: none was given. */
const NO_CODE = 1005;
/** Of the 123 bytes that there are; the rest is for letters of more than one. */
const MAX_REASON_CHARS = 100;

/**
 * What a client may have sent that the node has not taken yet. The platform gives a WebSocket no way to hold its client
 * back, so one that is so far ahead has to be given up.
 */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;

/**
 * Serves a WebSocket: of `kubectl exec`, `attach` or `port-forward`, or to a server that the node can reach. Asks the
 * node, and if it agrees joins the socket to the exchange, whose bodies carry the socket's messages
 * (shared/tunnel/messages.ts), of a dialled server as events (socket-events.ts). Else the answer is what was said there.
 * An accepted socket of this kind keeps the object awake.
 */
export async function joinClientSocket(mux: Multiplexer, request: Request): Promise<Response> {
  const asked = tunnelledRequest(request);
  if (!asked) return methodRefused();
  let stream: TunnelStream;
  let head: HeadMeta;
  try {
    stream = mux.openStream(openMetaOf(asked), { hasBody: true });
    head = await stream.head;
  } catch (error) {
    if (error instanceof TunnelError) return unreachable(error, asked);
    throw error;
  }
  if (head.status !== 200 || (asked.target && !head.headers[ACCEPTED_HEADER]))
    return responseOf(head, stream.readable, asked);
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  server.accept();
  const protocol = head.headers[PROTOCOL_HEADER];
  const kind = asked.target ? "dialled" : protocol?.endsWith(".channel.k8s.io") ? "channels" : "bytes";
  new ClientSocket(server, stream, kind).join();
  return new Response(null, {
    status: 101,
    webSocket: client,
    headers: protocol ? { [PROTOCOL_HEADER]: protocol } : {},
  });
}

/** What its messages are: bytes; bytes of channels, the last of them a Status; or events of a server's own socket. */
type SocketKind = "bytes" | "channels" | "dialled";

class ClientSocket {
  readonly #socket: WebSocket;
  readonly #stream: TunnelStream;
  /** Towards the node. */
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #kind: SocketKind;
  #pendingBytes = 0;
  #isOver = false;

  constructor(socket: WebSocket, stream: TunnelStream, kind: SocketKind) {
    this.#socket = socket;
    this.#stream = stream;
    this.#writer = stream.writable.getWriter();
    this.#kind = kind;
    this.#writer.closed.catch(() => {});
  }

  join(): void {
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("message", ({ data }) => this.#receive(data as string | ArrayBuffer));
    this.#socket.addEventListener("close", ({ code, reason }) => {
      if (this.#kind === "dialled") this.#tellClose(code, reason);
      else this.#end(1000, "the client went away");
    });
    this.#socket.addEventListener("error", () => this.#end(1000, "the client went away"));
    void this.#forward();
  }

  #receive(data: string | ArrayBuffer): void {
    if (this.#isOver) return;
    const bytes = this.#kind === "dialled" ? eventOf(data) : bytesOf(data);
    if (bytes.byteLength > MAX_MESSAGE_BYTES) this.#fail("the client sent too large a message");
    this.#pendingBytes += bytes.byteLength;
    if (this.#pendingBytes > MAX_PENDING_BYTES) this.#fail("the client sends faster than the node can take it");
    if (this.#isOver) return;
    this.#writer.write(encodeMessage(bytes)).then(
      () => {
        this.#pendingBytes -= bytes.byteLength;
      },
      // The exchange is over, which the other direction reports.
      () => {},
    );
  }

  async #forward(): Promise<void> {
    const decoder = new MessageDecoder();
    const reader = this.#stream.readable.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        for (const message of decoder.push(value)) this.#deliver(message);
      }
      this.#end(1000, "");
    } catch (error) {
      this.#fail(messageOf(error));
    }
  }

  #deliver(message: Uint8Array): void {
    if (this.#kind !== "dialled") {
      this.#socket.send(message);
      return;
    }
    const event = decodeSocketEvent(message);
    if (event.type === "close") this.#end(event.code, event.reason);
    else if (!this.#isOver) this.#socket.send(event.data);
  }

  /** Lets a dialled server know the code with which its client closed, then waits for it to end the exchange. */
  #tellClose(code: number, reason: string): void {
    if (this.#isOver) return;
    const told = this.#writer.write(encodeMessage(encodeSocketEvent({ type: "close", code, reason })));
    told.then(() => this.#writer.close()).catch(() => {});
  }

  /** With a Status in the place of the command's own: without one a client would take the end for success. */
  #fail(message: string): void {
    if (this.#isOver) return;
    if (this.#kind === "channels") this.#sendStatus(message);
    // After a Status, a close with an error code is to a client another, less telling error.
    this.#end(this.#kind === "channels" ? 1000 : 1011, message);
  }

  #sendStatus(message: string): void {
    const { status } = internalError(`error dialing backend: ${message}`);
    const text = new TextEncoder().encode(JSON.stringify(status));
    const framed = new Uint8Array(1 + text.byteLength);
    framed[0] = ERROR_CHANNEL;
    framed.set(text, 1);
    try {
      this.#socket.send(framed);
    } catch {
      // The client has just gone: nobody is left to tell.
    }
  }

  /** Ends both sides; the node learns it by the end of the exchange. */
  #end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream.reset("cancelled", reason);
    try {
      if (code === NO_CODE) this.#socket.close();
      else this.#socket.close(code, reason.slice(0, MAX_REASON_CHARS));
    } catch {
      // Closed by the client meanwhile.
    }
  }
}

const bytesOf = (data: string | ArrayBuffer): Uint8Array =>
  typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);

const eventOf = (data: string | ArrayBuffer): Uint8Array =>
  encodeSocketEvent(typeof data === "string" ? { type: "text", data } : { type: "binary", data: new Uint8Array(data) });
