import { acceptWebSocket } from "../web-socket/index.ts";
import { type ChannelForm, toClient, toNode } from "./channel-form.ts";

/** A close without a code, and one without a close: neither may be sent. */
const NOT_SENT = new Set([1005, 1006]);

/**
 * Answers the handshake of a client that speaks an older form of channels, and passes messages on between it and the
 * node's socket until either closes.
 */
export function relayChannels(node: WebSocket, form: ChannelForm, protocol: string): Response {
  const { socket: server, response } = acceptWebSocket(protocol);
  for (const socket of [node, server]) socket.binaryType = "arraybuffer";
  node.accept();
  node.addEventListener("message", ({ data }) => {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data as ArrayBuffer);
    const message = toClient(bytes, form);
    if (message !== undefined) pass(server, message);
  });
  server.addEventListener("message", ({ data }) => {
    const message = toNode(data as string | ArrayBuffer, form);
    if (message !== undefined) pass(node, message);
  });
  closeWith(node, server);
  closeWith(server, node);
  return response;
}

/** One that closed a moment ago takes no more; the other is told by the close. */
function pass(to: WebSocket, message: string | Uint8Array): void {
  try {
    to.send(message);
  } catch {
    // Closed before.
  }
}

function closeWith(one: WebSocket, other: WebSocket): void {
  const close = (code: number, reason: string) => {
    try {
      if (NOT_SENT.has(code)) other.close();
      else other.close(code, reason);
    } catch {
      // Closed before.
    }
  };
  one.addEventListener("close", ({ code, reason }) => close(code, reason));
  one.addEventListener("error", () => close(1011, ""));
}
