/**
 * What the service proxy tells of itself, at kube-proxy's ports and under its names: whether its rules keep up, for load
 * balancers in front of the nodes, and what it counts, for monitoring. Not the health of single Services (`../health.ts`).
 */
export { type IpFamily, isNodeEligible } from "./proxy-health.ts";
export { ProxyStatus } from "./proxy-status.ts";
export { serveStatus } from "./status-servers.ts";
