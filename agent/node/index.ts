/**
 * This machine as a Node: what it is and has, how it is doing, its Lease. Only what a kubelet says of itself; pods are
 * agent/kubelet's, and what becomes of a silent node is decided in the control plane.
 */
export { parseNodeIps, readAddresses } from "./addresses.ts";
export { isAnnounced, noteAnnounced } from "./announced.ts";
export { type NodeEvent, sendNodeEvent } from "./events.ts";
export { type MachineFacts, readMachine } from "./machine.ts";
export { type RegistrationOptions, runRegistration } from "./registration.ts";
export { ROUTES_ANNOTATION } from "./routes.ts";
