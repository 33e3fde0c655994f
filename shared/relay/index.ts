/**
 * The relay: packets of pods from node to node through their tunnels, where no other way carries them. This folder is
 * what both ends of a tunnel need: datagrams, the queues that they are lost in, the pace that they are held to.
 */
export { type Datagram, decodeDatagram, encodeDatagram } from "./datagram.ts";
export { DatagramQueue } from "./datagram-queue.ts";
export {
  MAX_BATCH_BYTES,
  MAX_PACKET_BYTES,
  MAX_RELAY_PEERS,
  MAX_SESSION_BYTES,
  RELAY_BYTES_PER_SECOND,
} from "./limits.ts";
export { Pace } from "./pace.ts";
export { addressesOf } from "./packet.ts";

/**
 * Where a node relays (POST, as itself): datagrams to other nodes are the request's body, those from them the answer's,
 * for as long as it likes. No part of the API: only a tunnel leads there.
 */
export const RELAY_PATH = "/hearth/v1/relay";
