import { hostPortsCollide } from "../../../shared/api/host-ports.ts";
import { type FilterPlugin, unschedulable } from "../framework/plugin.ts";

export const REASON = "node(s) didn't have free ports for the requested pod ports";

export const nodePorts: FilterPlugin = {
  name: "NodePorts",
  filter: ({ hostPorts }, node) => {
    if (hostPorts.length === 0) return undefined;
    for (const other of node.pods) {
      if (other.hostPorts.some((taken) => hostPorts.some((wanted) => hostPortsCollide(wanted, taken)))) {
        return unschedulable(REASON);
      }
    }
    return undefined;
  },
};
