/**
 * The pod network of one node, as configuration for the runtime's CNI plugins. Routes between nodes, service addresses
 * and policies are other areas.
 */
export { ensureBridge, removeIdleBridge } from "./bridge.ts";
export { filterBridge } from "./bridge-filter.ts";
export { type CniNetwork, renderCniConfig } from "./config.ts";
export { type CniOutcome, foreignCniConfig, removeCniConfig, writeCniConfig } from "./config-file.ts";
export { bridgePorts, ip, ipJson, linkExists, presentIn } from "./link.ts";
