/**
 * Streams that are answered as the messages of a WebSocket, for clients that cannot read a body as it comes (browsers):
 * logs and watches. Sessions with containers are not here: their sockets reach to the node (../subresources/exec.ts).
 */
export { acceptWebSocket, chooseProtocol, isWebSocketHandshake, offeredProtocols } from "./handshake.ts";
export { LOG_PROTOCOLS, logMessages } from "./log-messages.ts";
export { sendMessages } from "./send-messages.ts";
export { protobufMessages, textMessages } from "./watch-messages.ts";
