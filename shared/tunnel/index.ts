/**
 * The tunnel between a node's agent and its session in the control plane: one WebSocket that carries many HTTP-like
 * exchanges in both directions, with flow control and bounds on everything. This folder is the protocol alone; it opens
 * no connection. The agent's end is agent/tunnel, the other control-plane/gateway.
 */
export { answerStream, openMetaOf, requestThrough, type TunnelRequest, type TunnelResponse } from "./exchange.ts";
export {
  CLOSE_DEAD_PEER,
  CLOSE_PROTOCOL_ERROR,
  CLOSE_REPLACED,
  DEAD_PEER_MS,
  PING_INTERVAL_MS,
  PING_TEXT,
  PONG_TEXT,
  STREAMS_CHECK_MS,
} from "./heartbeat.ts";
export { MAX_BUFFERED_BYTES, MAX_FORWARDED_STREAMS, MAX_FRAME_BYTES, MAX_STREAMS_PER_SIDE } from "./limits.ts";
export { encodeMessage, MAX_MESSAGE_BYTES, MessageDecoder } from "./messages.ts";
export {
  ACCEPTED_HEADER,
  API_COMMON_NAME,
  COMPONENT_HEADER,
  type DialTarget,
  dialTargetSchema,
  type HeadMeta,
  NODE_API_CERTIFICATE_PATH,
  type OpenMeta,
  type ResetCode,
  SEEN_ADDRESS_HEADER,
  TunnelError,
} from "./meta.ts";
export { Multiplexer, type MultiplexerOptions } from "./multiplexer.ts";
export { decodeSocketEvent, encodeSocketEvent, type SocketEvent } from "./socket-events.ts";
export { TunnelStream } from "./stream.ts";
