/**
 * The kubelet's own API: logs, exec, attach, port-forward, pods, configz, stats. It listens nowhere: requests come
 * through the tunnel, where the API server has already authorized them.
 */
export type { NodeState } from "./node-state.ts";
export { serveKubeletApi } from "./server.ts";
