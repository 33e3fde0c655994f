import type { Status } from "../../../shared/api/status.ts";
import { acceptWebSocket } from "../web-socket/index.ts";
import { formOf, statusMessage, toClient } from "./channel-form.ts";

/**
 * Answers the handshake of a `*.channel.k8s.io` client, only to hand it a Status and close. A refusal without an upgrade
 * would make kubectl try again with SPDY; upstream too reports what went wrong behind the API server this way.
 */
export function refuseOnChannel(protocol: string, status: Status): Response {
  const { socket, response } = acceptWebSocket(protocol);
  const message = toClient(statusMessage(status), formOf(protocol));
  if (message !== undefined) socket.send(message);
  socket.close(1000);
  return response;
}
