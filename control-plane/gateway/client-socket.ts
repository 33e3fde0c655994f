import { internalError } from "../../shared/api/status.ts";
import { messageOf } from "../../shared/message-of.ts";
import {
  encodeMessage,
  type HeadMeta,
  MAX_MESSAGE_BYTES,
  MessageDecoder,
  type Multiplexer,
  TunnelError,
  type TunnelStream,
} from "../../shared/tunnel/index.ts";
import { kubeletMeta, statusResponse, unreachable } from "./kubelet-request.ts";

/** Of `*.channel.k8s.io`: the channel that carries the final Status. */
const ERROR_CHANNEL = 3;

/** The kubelet's answer names the subprotocol it speaks; the client's handshake gets it. */
const PROTOCOL_HEADER = "sec-websocket-protocol";

/**
 * What a client may have sent that the node has not taken yet. The platform gives a WebSocket no way to hold its client
 * back, so one that is so far ahead has to be given up.
 */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;

/**
 * Serves a WebSocket of `kubectl exec`, `attach` or `port-forward`: asks the kubelet, and if it agrees joins the socket to
 * the exchange, whose bodies carry the socket's messages (shared/tunnel/messages.ts). Else the answer is what the kubelet
 * said. An accepted socket of this kind keeps the object awake.
 */
export async function joinClientSocket(mux: Multiplexer, request: Request): Promise<Response> {
  const meta = kubeletMeta(request);
  if (!meta) return statusResponse(405, "MethodNotAllowed", "the server does not allow this method");
  let stream: TunnelStream;
  let head: HeadMeta;
  try {
    stream = mux.openStream({ kind: "request", ...meta }, { hasBody: true });
    head = await stream.head;
  } catch (error) {
    if (error instanceof TunnelError) return unreachable(error);
    throw error;
  }
  if (head.status !== 200) return new Response(stream.readable, head);
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  server.accept();
  const protocol = head.headers[PROTOCOL_HEADER];
  new ClientSocket(server, stream, protocol?.endsWith(".channel.k8s.io") ?? false).join();
  return new Response(null, {
    status: 101,
    webSocket: client,
    headers: protocol ? { [PROTOCOL_HEADER]: protocol } : {},
  });
}

class ClientSocket {
  readonly #socket: WebSocket;
  readonly #stream: TunnelStream;
  /** Towards the node. */
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  /** The protocol ends with a Status. */
  readonly #hasStatus: boolean;
  #pendingBytes = 0;
  #isOver = false;

  constructor(socket: WebSocket, stream: TunnelStream, hasStatus: boolean) {
    this.#socket = socket;
    this.#stream = stream;
    this.#writer = stream.writable.getWriter();
    this.#hasStatus = hasStatus;
    this.#writer.closed.catch(() => {});
  }

  join(): void {
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("message", ({ data }) => this.#receive(data as string | ArrayBuffer));
    for (const gone of ["close", "error"] as const) {
      this.#socket.addEventListener(gone, () => this.#end(1000, "the client went away"));
    }
    void this.#forward();
  }

  #receive(data: string | ArrayBuffer): void {
    if (this.#isOver) return;
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
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
        for (const message of decoder.push(value)) this.#socket.send(message);
      }
      this.#end(1000, "");
    } catch (error) {
      this.#fail(messageOf(error));
    }
  }

  /** With a Status in the place of the command's own: without one a client would take the end for success. */
  #fail(message: string): void {
    if (this.#isOver) return;
    if (this.#hasStatus) this.#sendStatus(message);
    // After a Status, a close with an error code is to a client another, less telling error.
    this.#end(this.#hasStatus ? 1000 : 1011, message);
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
      this.#socket.close(code, reason.slice(0, 120));
    } catch {
      // Closed by the client meanwhile.
    }
  }
}
