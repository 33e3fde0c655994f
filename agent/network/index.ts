/**
 * The network of a node: what all its parts share (the sets of objects, the local address), and their start. The parts are
 * folders of their own: the service proxy, names, policies, routes, the API for pods.
 */
export type { LocalEndpoint, LocalEndpoints, NetworkContext } from "./context.ts";
export type { LocalPod, LocalPods } from "./local-pods.ts";
export { type Network, type NetworkOptions, startNetwork } from "./network.ts";
