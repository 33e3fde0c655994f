import type { HostPort } from "../framework/node-info.ts";
import { type FilterPlugin, unschedulable } from "../framework/plugin.ts";

export const REASON = "node(s) didn't have free ports for the requested pod ports";
const ANY_ADDRESS = "0.0.0.0";

/** A host port is taken by one pod; the wildcard address collides with every address. */
export const nodePorts: FilterPlugin = {
  name: "NodePorts",
  filter: ({ hostPorts }, node) => {
    if (hostPorts.length === 0) return undefined;
    for (const other of node.pods) {
      if (other.hostPorts.some((taken) => hostPorts.some((wanted) => collide(wanted, taken)))) {
        return unschedulable(REASON);
      }
    }
    return undefined;
  },
};

function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === ANY_ADDRESS || b.ip === ANY_ADDRESS;
}
