import { badRequest } from "../../../shared/api/status.ts";

/**
 * The subprotocol to speak with a WebSocket client: the first of its own list that we speak.
 * @throws ApiError 400 when the request is no WebSocket handshake (SPDY clients end here), or none is spoken
 */
export function chooseProtocol(request: Request, spoken: readonly string[]): string {
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") throw badRequest("Upgrade request required");
  const asked = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((each) => each.trim());
  const chosen = asked.find((each) => spoken.includes(each));
  if (!chosen) throw badRequest(`unable to upgrade: none of ${asked.join(", ")} is supported (${spoken.join(", ")})`);
  return chosen;
}
