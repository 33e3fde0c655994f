/**
 * Which CPUs and which NUMA nodes' memory the containers of this node are bound to: puts the managers of CPUs, memory and
 * topology together, remembers what was given out, and has running containers moved.
 */
export { createPinning, noPinning, type Pinning, type PinningDeps } from "./pinning.ts";
