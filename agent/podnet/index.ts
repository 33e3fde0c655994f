/**
 * The way between pods of different nodes: bridge, CNI configuration, routes or encapsulation, masquerading to the
 * outside, and what a Node tells of it. Service addresses, names and policies are other areas; a CNI plugin of the
 * user's own takes the place of all this.
 */

export { overlayName, relayName, routeProtocol, wireGuardName } from "./names.ts";
export { PATHS_ANNOTATION } from "./paths-annotation.ts";
export { startPodNetwork } from "./start.ts";
export { restoreSysctls, setSysctls } from "./sysctl.ts";
export { readTablesBefore } from "./tables-before.ts";
