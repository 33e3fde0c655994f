import { checkServerIdentity, type PeerCertificate } from "node:tls";

/** Every serving certificate of a cluster's CA is for this name; no client's is. */
const API_NAME = "kubernetes";

/**
 * Whether a peer whose certificate the cluster's own CA has signed is its API server. The address dialled does not matter:
 * a home's changes with its provider, its router and the network that a node stands in.
 */
export function checkApiIdentity(_host: string, certificate: PeerCertificate): Error | undefined {
  return checkServerIdentity(API_NAME, certificate);
}
