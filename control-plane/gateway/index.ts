/**
 * The gateway: where nodes come in. A NodeSession holds the tunnel of one node; this is how the rest of the Worker lets
 * an agent in and reaches a kubelet, or a
 * server in the cluster. (The class itself is exported by worker.ts from node-session.ts: it serves requests
 * through the API server, which in turn uses this file.)
 */
export { askNode, dialThroughNode, isConnected, type NodeAddress } from "./dial.ts";
export { ENCODING_HEADER } from "./session-request.ts";
export { handleTunnelRequest, TUNNEL_PATH } from "./tunnel-request.ts";
