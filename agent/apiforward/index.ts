/**
 * The API for a node's pods: `kubernetes.default.svc` served on the node over TLS, with a certificate from the cluster's
 * own CA, each request passed on through the tunnel as its caller's. It adds no right: what a caller may do is decided by
 * the control plane, by the caller's own credential. Where the service proxy gets pods here from is context.localEndpoints.
 */
export { startApiForward } from "./api-forward.ts";
