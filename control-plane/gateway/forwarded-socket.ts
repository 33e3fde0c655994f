import { messageOf } from "../../shared/message-of.ts";
import {
  decodeSocketEvent,
  encodeMessage,
  encodeSocketEvent,
  MessageDecoder,
  type SocketEvent,
  type TunnelStream,
} from "../../shared/tunnel/index.ts";

/** As of a client's socket: the platform cannot hold its other end back, so one so far ahead is given up. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;

/** Of a close: none was given. */
const NO_CODE = 1005;

/**
 * Joins a WebSocket that the API answered with to the stream it was asked for by: 101 as the head, the socket's messages
 * as the bodies, until either ends.
 * @param headers of the answer: the subprotocol is the agent's to give to its client
 */
export async function joinForwardedSocket(
  socket: WebSocket,
  stream: TunnelStream,
  headers: Record<string, string>,
): Promise<void> {
  socket.accept();
  if (stream.isOver) return closeQuietly(socket, 1001, "the client went away");
  socket.binaryType = "arraybuffer";
  stream.respond({ status: 101, headers });
  const over = Promise.withResolvers<void>();
  void stream.closed.then(() => over.resolve());
  sendOn(socket, stream);
  takeFrom(stream, socket).catch((error: unknown) => stream.reset("cancelled", messageOf(error)));
  await over.promise;
  closeQuietly(socket, 1001, "the client went away");
}

/** What the API says, to the caller. */
function sendOn(socket: WebSocket, stream: TunnelStream): void {
  const writer = stream.writable.getWriter();
  writer.closed.catch(() => {});
  let pendingBytes = 0;
  const send = async (event: SocketEvent) => {
    const bytes = encodeMessage(encodeSocketEvent(event));
    pendingBytes += bytes.byteLength;
    if (pendingBytes > MAX_PENDING_BYTES) throw new Error("the client reads slower than the other side writes");
    await writer.write(bytes);
    pendingBytes -= bytes.byteLength;
  };
  // One that fails ends the exchange: a client must not take a part for all of it.
  const failed = (error: unknown) => stream.reset("cancelled", messageOf(error));
  socket.addEventListener("message", ({ data }) => {
    const event: SocketEvent =
      typeof data === "string" ? { type: "text", data } : { type: "binary", data: new Uint8Array(data as ArrayBuffer) };
    void send(event).catch(failed);
  });
  socket.addEventListener("close", ({ code, reason }) => {
    void send({ type: "close", code, reason })
      .then(() => writer.close())
      .catch(failed);
  });
  socket.addEventListener("error", () => failed(new Error("the connection to the API broke")));
}

/** What the caller says, to the API. Resolves when it has said that it is done, or is gone. */
async function takeFrom(stream: TunnelStream, socket: WebSocket): Promise<void> {
  const decoder = new MessageDecoder();
  for await (const chunk of stream.readable) {
    for (const event of decoder.push(chunk).map(decodeSocketEvent)) {
      if (event.type === "close") return closeQuietly(socket, event.code, event.reason);
      socket.send(event.data);
    }
  }
}

function closeQuietly(socket: WebSocket, code: number, reason: string): void {
  try {
    if (code === NO_CODE) socket.close();
    else socket.close(code, reason);
  } catch {
    // Closed meanwhile, which is what was wanted.
  }
}
