/** The last way between nodes: the kernel's packets for a peer, taken by the agent and sent through its tunnel. */
export { Relay } from "./relay.ts";
