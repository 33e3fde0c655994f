import { acceptWebSocket } from "./handshake.ts";

/** What goes out as one message: a text, or bytes. */
export type Message = string | Uint8Array;

/** Takes the next bytes of a stream, in order. @returns the messages that they complete */
export type Messages = (bytes: Uint8Array) => Iterable<Message>;

/**
 * The platform holds back no sender, nor tells what a slow client has not taken yet: that waits in the isolate's memory. So
 * no connection takes more than this; whoever wants more asks again from where it was.
 */
const MOST_BYTES = 32 * 2 ** 20;
/** "Try again later", of the registry that RFC 6455, section 11.7, made. */
const TRY_AGAIN = 1013;

/**
 * Answers a handshake, sends a stream as messages, and closes at its end. What the client sends is not looked at; when
 * it goes, the stream is cancelled.
 * @param options `protocol` is the one that the handshake agrees on, none if empty; `first` is sent before all else;
 *   `mostBytes`: the connection is closed after so many
 */
export function sendMessages(
  stream: ReadableStream<Uint8Array>,
  messages: Messages,
  { protocol, first, mostBytes = MOST_BYTES }: { protocol: string; first?: Message; mostBytes?: number },
): Response {
  const { socket, response } = acceptWebSocket(protocol);
  if (first !== undefined) socket.send(first);
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => {}); // it may have ended by itself
  socket.addEventListener("close", cancel);
  socket.addEventListener("error", cancel);
  void forward(reader, messages, { socket, mostBytes });
  return response;
}

async function forward(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  messages: Messages,
  { socket, mostBytes }: { socket: WebSocket; mostBytes: number },
): Promise<void> {
  let code = 1000;
  let sentBytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      sentBytes += value.length;
      if (sentBytes > mostBytes) {
        code = TRY_AGAIN;
        await reader.cancel();
        break;
      }
      for (const message of messages(value)) socket.send(message);
    }
  } catch {
    // Either side broke off. The client must not take it for the end.
    code = 1011;
  }
  try {
    socket.close(code, code === TRY_AGAIN ? "too much for one connection: ask again from here" : "");
  } catch {
    // The client closed it.
  }
}
