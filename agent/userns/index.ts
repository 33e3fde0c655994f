/**
 * User namespaces of pods (`hostUsers: false`, KEP-127): which ids of the machine each pod's ids stand for. A pod keeps its
 * range for as long as its directory is there, over restarts of the agent. The runtime makes the namespaces and the
 * idmapped mounts; here is only who gets which ids.
 */
export { type IdSpace, idSpace, parseSubordinateIds } from "./id-space.ts";
export { whyUnsupported } from "./unsupported.ts";
export { createUserNamespaces, type UserNamespaces } from "./user-namespaces.ts";
