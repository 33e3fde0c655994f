import type { Status } from "../../../shared/api/status.ts";

const ERROR_CHANNEL = 3;

/**
 * Answers the handshake of a `*.channel.k8s.io` client, only to hand it a Status and close. A refusal without an upgrade
 * would make kubectl try again with SPDY; upstream too reports what went wrong behind the API server this way.
 */
export function refuseOnChannel(protocol: string, status: Status): Response {
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  server.accept();
  const text = new TextEncoder().encode(JSON.stringify(status));
  const message = new Uint8Array(1 + text.byteLength);
  message[0] = ERROR_CHANNEL;
  message.set(text, 1);
  server.send(message);
  server.close(1000);
  return new Response(null, { status: 101, webSocket: client, headers: { "sec-websocket-protocol": protocol } });
}
