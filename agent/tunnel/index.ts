/**
 * The node's end of the tunnel: the one outbound connection that carries the node's API requests and, the other way, what
 * is asked of its kubelet. The protocol itself is shared/tunnel; what is served is agent/server.
 */
export { apiTransport } from "./api-transport.ts";
export { explainFailure } from "./failure.ts";
export { retryClock } from "./retry-clock.ts";
export { checkApiIdentity } from "./server-identity.ts";
export { Tunnel, type TunnelOptions } from "./tunnel.ts";
