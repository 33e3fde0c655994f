import {
  CONNECTION_WINDOW_BYTES,
  CREDIT_STEP_BYTES,
  MAX_DATA_BYTES,
  STREAM_RESERVE_BYTES,
  STREAM_WINDOW_BYTES,
} from "./limits.ts";

/**
 * How many bytes a stream may send now.
 *
 * Credit is per stream. The connection's window bounds the sum, yet a stream always keeps a small reserve: otherwise 32
 * readers who stopped reading would stop everyone.
 * @param streamUnacked bytes this stream has sent for which no credit came back
 * @param totalUnacked the same over all streams of the connection
 * @returns 0 when the stream must wait, else at most MAX_DATA_BYTES
 */
export function sendableBytes({
  streamUnacked,
  totalUnacked,
}: {
  streamUnacked: number;
  totalUnacked: number;
}): number {
  const byStream = STREAM_WINDOW_BYTES - streamUnacked;
  const byConnection = Math.max(CONNECTION_WINDOW_BYTES - totalUnacked, STREAM_RESERVE_BYTES - streamUnacked);
  return Math.max(0, Math.min(byStream, byConnection, MAX_DATA_BYTES));
}

/** Credit to give back after the reader took `consumed` bytes since the last time; 0 means not yet. */
export function creditToGrant(consumed: number): number {
  return consumed >= CREDIT_STEP_BYTES ? consumed : 0;
}
