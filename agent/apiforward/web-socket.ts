import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import WebSocket, { WebSocketServer } from "ws";
import { messageOf } from "../../shared/message-of.ts";
import {
  decodeSocketEvent,
  encodeMessage,
  encodeSocketEvent,
  MAX_MESSAGE_BYTES,
  MessageDecoder,
  type Multiplexer,
  type OpenMeta,
  type SocketEvent,
  TunnelError,
  type TunnelStream,
} from "../../shared/tunnel/index.ts";
import { refuse, sendAnswer } from "./forward.ts";
import { answerFailure } from "./own-answer.ts";

/** Taken from a client and not yet by the tunnel, before the client is held back. */
const MAX_PENDING_BYTES = 256 * 1024;
/** For the control plane to end an exchange after its client has said goodbye. */
const CLOSE_GRACE_MS = 10_000;
/** Of a close: none was given. */
const NO_CODE = 1005;
const PROTOCOL_HEADER = "sec-websocket-protocol";

/**
 * Passes a WebSocket's handshake on. Once the API agrees, the socket is joined to the exchange; else its answer is what the
 * client gets, and the connection ends with it. Settles when all is over; never rejects.
 */
export async function forwardWebSocket(
  mux: () => Multiplexer,
  {
    head,
    request,
    socket,
    firstBytes,
  }: {
    head: OpenMeta;
    request: IncomingMessage;
    socket: Duplex;
    firstBytes: Buffer;
  },
): Promise<void> {
  const reply = new ServerResponse(request);
  reply.shouldKeepAlive = false;
  socket.on("error", () => {}); // "close" follows
  let stream: TunnelStream | undefined;
  try {
    stream = mux().openStream(head, { hasBody: true });
    const onGone = () => stream?.reset("cancelled", "the client went away");
    socket.once("close", onGone);
    const answer = await stream.head;
    if (answer.status === 101) {
      socket.off("close", onGone);
      return await joinSocket(await shakeHands(request, socket, firstBytes, answer.headers[PROTOCOL_HEADER]), stream);
    }
    reply.assignSocket(socket as Socket);
    reply.once("finish", () => socket.end());
    await sendAnswer(reply, answer, stream.readable);
  } catch (error) {
    if (socket.destroyed) return;
    if (reply.headersSent || !(error instanceof TunnelError)) return void socket.destroy();
    if (!reply.socket) reply.assignSocket(socket as Socket);
    reply.once("finish", () => socket.end());
    refuse(reply, answerFailure(error, { method: "GET", wasSent: stream !== undefined }));
  }
}

/**
 * Agrees to a client's handshake; one that is none is refused, and then this rejects with the connection's end.
 *
 * The subprotocol is handled here: `SPDY/3.1+portforward.k8s.io`, which kubectl asks for, is no token by RFC 6455, and the
 * library would refuse it.
 */
function shakeHands(
  request: IncomingMessage,
  socket: Duplex,
  firstBytes: Buffer,
  protocol: string | undefined,
): Promise<WebSocket> {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES - 1,
  });
  delete request.headers[PROTOCOL_HEADER];
  if (protocol) server.on("headers", (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
  return new Promise((resolve, reject) => {
    socket.once("close", () => reject(new TunnelError("cancelled", "the client went away")));
    server.handleUpgrade(request, socket, firstBytes, resolve);
  });
}

async function joinSocket(client: WebSocket, stream: TunnelStream): Promise<void> {
  if (client.readyState !== WebSocket.OPEN) stream.reset("cancelled", "the client went away");
  client.on("error", () => {}); // "close" follows
  takeFrom(client, stream);
  try {
    await sendTo(client, stream);
  } catch (error) {
    client.close(1011, messageOf(error).slice(0, 100));
  }
}

/** What the client says, to the API; held back when the tunnel takes no more. */
function takeFrom(client: WebSocket, stream: TunnelStream): void {
  const writer = stream.writable.getWriter();
  writer.closed.catch(() => {});
  let pendingBytes = 0;
  const send = async (event: SocketEvent) => {
    const bytes = encodeMessage(encodeSocketEvent(event));
    pendingBytes += bytes.byteLength;
    if (pendingBytes > MAX_PENDING_BYTES) client.pause();
    await writer.write(bytes);
    pendingBytes -= bytes.byteLength;
    if (pendingBytes <= MAX_PENDING_BYTES && client.isPaused) client.resume();
  };
  // The exchange is over, which the other direction reports.
  const over = () => {};
  client.on("message", (data: Buffer, isBinary) => {
    const event: SocketEvent = isBinary ? { type: "binary", data } : { type: "text", data: data.toString() };
    send(event).catch(over);
  });
  client.on("close", (code, reason) => {
    // 1006: it said nothing.
    if (code === 1006) return stream.reset("cancelled", "the client went away");
    const impatience = setTimeout(() => stream.reset("cancelled", "the client closed the socket"), CLOSE_GRACE_MS);
    void stream.closed.then(() => clearTimeout(impatience));
    send({ type: "close", code, reason: reason.toString() }).catch(over);
  });
}

/** What the API says, to the client, as fast as it takes it. @throws TunnelError when the exchange breaks */
async function sendTo(client: WebSocket, stream: TunnelStream): Promise<void> {
  const decoder = new MessageDecoder();
  for await (const chunk of stream.readable as unknown as AsyncIterable<Uint8Array>) {
    for (const event of decoder.push(chunk).map(decodeSocketEvent)) {
      if (event.type === "close") {
        if (event.code === NO_CODE) client.close();
        else client.close(event.code, event.reason);
        continue;
      }
      await new Promise<void>((resolve) => client.send(event.data, () => resolve()));
    }
  }
  client.close(1000);
}
