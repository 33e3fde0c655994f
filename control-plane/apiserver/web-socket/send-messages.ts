/** What goes out as one message: a text, or bytes. */
export type Message = string | Uint8Array;

/** Takes the next bytes of a stream, in order. @returns the messages that they complete */
export type Messages = (bytes: Uint8Array) => Iterable<Message>;

/**
 * Answers a handshake, sends a stream as messages, and closes at its end. What the client sends is not looked at; when
 * it goes, the stream is cancelled. The platform holds back no sender: what a slow client has not taken yet waits there.
 * @param options `protocol` is the one that the handshake agrees on, none if empty; `first` is sent before all else
 */
export function sendMessages(
  stream: ReadableStream<Uint8Array>,
  messages: Messages,
  { protocol, first }: { protocol: string; first?: Message },
): Response {
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  server.accept();
  if (first !== undefined) server.send(first);
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => {}); // it may have ended by itself
  server.addEventListener("close", cancel);
  server.addEventListener("error", cancel);
  void forward(reader, messages, server);
  return new Response(null, {
    status: 101,
    webSocket: client,
    headers: protocol ? { "sec-websocket-protocol": protocol } : {},
  });
}

async function forward(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  messages: Messages,
  socket: WebSocket,
): Promise<void> {
  let code = 1000;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      for (const message of messages(value)) socket.send(message);
    }
  } catch {
    // Either side broke off. The client must not take it for the end.
    code = 1011;
  }
  try {
    socket.close(code);
  } catch {
    // The client closed it.
  }
}
