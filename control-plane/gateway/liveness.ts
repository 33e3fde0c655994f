import { DEAD_PEER_MS } from "../../shared/tunnel/index.ts";

/** What is known of when a connection last showed life; epoch ms. */
export interface SignsOfLife {
  connectedMs: number;
  /** The last ping that the platform answered for us; null before the first. */
  lastPingMs: number | null;
}

export function lastSignOfLifeMs({ connectedMs, lastPingMs }: SignsOfLife): number {
  return Math.max(connectedMs, lastPingMs ?? 0);
}

/** Whether the peer must be given up: it pings every PING_INTERVAL_MS. */
export function isDead(signs: SignsOfLife, nowMs: number): boolean {
  return nowMs - lastSignOfLifeMs(signs) > DEAD_PEER_MS;
}
