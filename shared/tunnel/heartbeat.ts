/**
 * Liveness. The agent sends the text PING_TEXT; the platform itself answers PONG_TEXT (a WebSocket auto-response), so
 * that a heartbeat neither wakes the node's session nor costs anything. Everything else on the socket is binary.
 */
export const PING_TEXT = "ping";
export const PONG_TEXT = "pong";

/** A node's Lease is "renewed" by each ping: upstream's kubelet renews every 10 s. */
export const PING_INTERVAL_MS = 10_000;

/** Silence after which either side gives the other up: two lost pings and a slow third. */
export const DEAD_PEER_MS = 25_000;

/** How often the agent names the streams it believes open, so that none hangs on an object that lost its memory. */
export const STREAMS_CHECK_MS = 30_000;

/** WebSocket close codes of our own (4000–4999 are free for applications). */
export const CLOSE_REPLACED = 4001;
export const CLOSE_PROTOCOL_ERROR = 4002;
export const CLOSE_DEAD_PEER = 4003;
