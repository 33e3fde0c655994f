/**
 * Every bound of the relay. What goes over one is lost, the oldest first: these are datagrams, whose senders know how to
 * go on. Nobody ever waits for the relay.
 */

/** One IP packet; more than any pod sends (jumbo frames have 9,000). */
export const MAX_PACKET_BYTES = 9_216;

/** Packets that are sent together: one frame of the tunnel. */
export const MAX_BATCH_BYTES = 32 * 1024;

/** What waits at each step of the way for one reader: some 60 ms at full speed. */
export const MAX_QUEUED_BYTES = 256 * 1024;

/**
 * How much of a node's tunnel its relayed packets may take, each way. Together with the window of the stream that they go
 * in (256 KiB, of the 8 MiB of a connection) it leaves the rest to `kubectl logs`, `exec` and the node's own requests.
 */
export const RELAY_BYTES_PER_SECOND = 4 * 1024 * 1024;

/** What may go at once after a rest. */
export const RELAY_BURST_BYTES = 256 * 1024;

/** What waits in a node's session for all peers: their sessions may hang all at once, and memory is shared. */
export const MAX_SESSION_BYTES = 4 * 1024 * 1024;

/** Peers of a node that it sends to at a time. */
export const MAX_RELAY_PEERS = 256;
