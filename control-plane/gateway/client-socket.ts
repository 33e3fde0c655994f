import { internalError } from "../../shared/api/status.ts";
import {
  encodeMessage,
  MAX_MESSAGE_BYTES,
  MessageDecoder,
  type Multiplexer,
  requestThrough,
  TunnelError,
  type TunnelResponse,
} from "../../shared/tunnel/index.ts";
import { kubeletMeta, statusResponse, unreachable } from "./kubelet-request.ts";

/** Said by both ends of `*.channel.k8s.io`: the channel that carries the final Status. */
const ERROR_CHANNEL = 3;

/** The kubelet's answer names the subprotocol it speaks; the client's handshake gets it. */
const PROTOCOL_HEADER = "sec-websocket-protocol";

interface Client {
  /** Towards the node. */
  writer: WritableStreamDefaultWriter<Uint8Array>;
}

/**
 * The WebSockets of `kubectl exec`, `attach` and `port-forward`, each joined to one stream of the tunnel whose bodies
 * carry the sockets' messages (see shared/tunnel/messages.ts). They are accepted by the platform's hibernation API, since
 * its handlers hold back a client that sends faster than the node reads; the open stream keeps the object awake.
 */
export class ClientSockets {
  readonly #clients = new Map<WebSocket, Client>();

  /** Asks the kubelet; if it agrees the answer is a 101, else what the kubelet said. */
  async open(mux: Multiplexer, request: Request, accept: (socket: WebSocket) => void): Promise<Response> {
    const meta = kubeletMeta(request);
    if (!meta) return statusResponse(405, "MethodNotAllowed", "the server does not allow this method");
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    let answer: TunnelResponse;
    try {
      answer = await requestThrough(mux, { ...meta, body: readable, signal: request.signal });
    } catch (error) {
      if (error instanceof TunnelError) return unreachable(error);
      throw error;
    }
    if (answer.status !== 200) return new Response(answer.body, { status: answer.status, headers: answer.headers });
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    accept(server);
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    this.#clients.set(server, { writer });
    const protocol = answer.headers[PROTOCOL_HEADER];
    void this.#forward(answer.body, server, protocol?.endsWith(".channel.k8s.io") ?? false);
    return new Response(null, {
      status: 101,
      webSocket: client,
      headers: protocol ? { [PROTOCOL_HEADER]: protocol } : {},
    });
  }

  /** A message of the client. The next one waits until this one is on its way. */
  async receive(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const bytes = typeof message === "string" ? new TextEncoder().encode(message) : new Uint8Array(message);
    if (bytes.byteLength > MAX_MESSAGE_BYTES) {
      this.#end(socket, 1009, "message is too large");
      return;
    }
    // A failure to write means that the stream is over, which the other direction reports.
    await this.#clients
      .get(socket)
      ?.writer.write(encodeMessage(bytes))
      .catch(() => {});
  }

  /** The client went away: the node learns it by the end of the exchange. */
  async closed(socket: WebSocket): Promise<void> {
    const client = this.#clients.get(socket);
    this.#clients.delete(socket);
    await client?.writer.abort(new Error("the client went away")).catch(() => {});
    try {
      socket.close(1000);
    } catch {
      // Closed on both sides.
    }
  }

  /** A socket whose stream was in a memory that is lost. */
  closeForgotten(socket: WebSocket): void {
    this.#end(socket, 1011, "the connection to the node was lost");
  }

  async #forward(body: ReadableStream<Uint8Array>, socket: WebSocket, hasStatus: boolean): Promise<void> {
    const decoder = new MessageDecoder();
    const reader = body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        for (const message of decoder.push(value)) socket.send(message);
      }
      this.#end(socket, 1000, "");
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      await reader.cancel(error).catch(() => {});
      if (hasStatus) sendBroken(socket, message);
      // After a Status a client reads a close with an error code as another, less telling error.
      this.#end(socket, hasStatus ? 1000 : 1011, message);
    }
  }

  #end(socket: WebSocket, code: number, reason: string): void {
    const client = this.#clients.get(socket);
    this.#clients.delete(socket);
    void client?.writer.abort(new Error("the exchange is over")).catch(() => {});
    try {
      socket.close(code, reason.slice(0, 120));
    } catch {
      // Closed by the client meanwhile.
    }
  }
}

/** In the place of the command's own Status, without which a client would take the end of the stream for success. */
function sendBroken(socket: WebSocket, message: string): void {
  const { status } = internalError(`error dialing backend: ${message}`);
  const text = new TextEncoder().encode(JSON.stringify(status));
  const framed = new Uint8Array(1 + text.byteLength);
  framed[0] = ERROR_CHANNEL;
  framed.set(text, 1);
  try {
    socket.send(framed);
  } catch {
    // Nobody is left to tell.
  }
}
