/**
 * Every bound of the tunnel. A peer that goes over one is cut off (its stream reset, or the connection closed); our own
 * side waits instead.
 */

/** Payload of one DATA frame. Small enough that a log stream does not hold up a watch event for long. */
export const MAX_DATA_BYTES = 32 * 1024;

/** JSON of an OPEN or HEAD frame: a URL with its query plus headers. */
export const MAX_META_BYTES = 64 * 1024;

/** The largest frame there is: five bytes of header and the largest payload. Also the limit for the WebSocket message. */
export const MAX_FRAME_BYTES = MAX_META_BYTES + 5;

/**
 * Streams each side may have open towards the other. A kubelet holds some ten watches; the rest are kubectl sessions one
 * way, and the requests and watches of the node's pods the other way.
 */
export const MAX_STREAMS_PER_SIDE = 1024;

/** Of an agent's streams, those it opens for its node's pods: what they ask must never keep the node itself from asking. */
export const MAX_FORWARDED_STREAMS = 768;

/** Bytes a stream may have sent without their being consumed. 256 KiB over 50 ms of round trip is 5 MB/s. */
export const STREAM_WINDOW_BYTES = 256 * 1024;

/** The same over all streams of one direction: bounds what either side keeps in memory for a slow peer. */
export const CONNECTION_WINDOW_BYTES = 8 * 1024 * 1024;

/**
 * What every stream may have under way even when the connection's window is used up, so that readers who stopped
 * reading (a paused `kubectl logs -f`) never hold up the others.
 */
export const STREAM_RESERVE_BYTES = 16 * 1024;

/** The receiver gives credit back in steps of this size; it must be less than STREAM_RESERVE_BYTES. */
export const CREDIT_STEP_BYTES = 8 * 1024;

/** Received and not yet read, over all streams; more than an honest sender can reach. */
export const MAX_BUFFERED_BYTES = CONNECTION_WINDOW_BYTES + 2 * MAX_STREAMS_PER_SIDE * STREAM_RESERVE_BYTES;
