/**
 * Sets of objects that the node needs whole: Services, EndpointSlices, Nodes and the like. Each is watched once for all
 * parts of the agent, and remembered on the disk for the time without the API.
 */
export { createInformer, type Informer, keyOf, type Memory } from "./informer.ts";
