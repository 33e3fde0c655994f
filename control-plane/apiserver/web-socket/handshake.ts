import { badRequest } from "../../../shared/api/status.ts";

interface Headers {
  get(name: string): string | null;
}

export const isWebSocketHandshake = (headers: Headers): boolean =>
  headers.get("upgrade")?.toLowerCase() === "websocket";

/** Agrees to a handshake. @param protocol the one that is spoken; none if empty. @returns our end, accepted, and the answer */
export function acceptWebSocket(protocol: string): { socket: WebSocket; response: Response } {
  const [client, socket] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  socket.accept();
  const headers: Record<string, string> = protocol ? { "sec-websocket-protocol": protocol } : {};
  return { socket, response: new Response(null, { status: 101, webSocket: client, headers }) };
}

/** Those that a client offers, best first. */
export const offeredProtocols = (headers: Headers): string[] =>
  (headers.get("sec-websocket-protocol") ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

/**
 * The subprotocol to speak with a WebSocket client: the first of its own list that we speak.
 * @param spoken has `""` where a client that offers none is served, too
 * @throws ApiError 400 when the request is no WebSocket handshake (SPDY clients end here), or none is spoken
 */
export function chooseProtocol({ headers }: { headers: Headers }, spoken: readonly string[]): string {
  if (!isWebSocketHandshake(headers)) throw badRequest("Upgrade request required");
  const offered = offeredProtocols(headers);
  const chosen = offered.length === 0 ? "" : offered.find((each) => spoken.includes(each));
  if (chosen === undefined || !spoken.includes(chosen)) {
    const known = spoken.filter((each) => each !== "").join(", ");
    throw badRequest(`unable to upgrade: none of ${offered.join(", ")} is supported (${known})`);
  }
  return chosen;
}
