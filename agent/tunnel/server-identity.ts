import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { API_COMMON_NAME } from "../../shared/tunnel/index.ts";

/** Every serving certificate of a cluster's CA is for this name; no client's is. A node's is too: its pods call it so. */
const API_NAME = "kubernetes";

/**
 * Whether a peer whose certificate the cluster's own CA has signed is its API server. The address dialled does not matter:
 * a home's changes with its provider, its router and the network that a node stands in.
 */
export function checkApiIdentity(_host: string, certificate: PeerCertificate): Error | undefined {
  // Of the CA's serving certificates only the control plane's own are made with this subject.
  if (certificate.subject?.CN !== API_COMMON_NAME) return new Error("the certificate is not the control plane's own");
  return checkServerIdentity(API_NAME, certificate);
}
