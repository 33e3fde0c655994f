/**
 * Takes a node off a machine: everything that it made, and nothing else. For `hearth down --purge` and tests; a running
 * agent never needs it.
 */
export { type NodeTraces, purgeNode } from "./node.ts";
