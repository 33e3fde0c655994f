import type { Status } from "../../../shared/api/status.ts";
import { formOf, statusMessage, toClient } from "./channel-form.ts";

/**
 * Answers the handshake of a `*.channel.k8s.io` client, only to hand it a Status and close. A refusal without an upgrade
 * would make kubectl try again with SPDY; upstream too reports what went wrong behind the API server this way.
 */
export function refuseOnChannel(protocol: string, status: Status): Response {
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  server.accept();
  const message = toClient(statusMessage(status), formOf(protocol));
  if (message !== undefined) server.send(message);
  server.close(1000);
  return new Response(null, {
    status: 101,
    webSocket: client,
    headers: protocol ? { "sec-websocket-protocol": protocol } : {},
  });
}
