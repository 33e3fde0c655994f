/**
 * Which devices a pod's ResourceClaims get on a node (KEP-4381, structured parameters): the drivers publish what there is
 * in ResourceSlices, and the scheduler chooses together with the node. Only decides; the claims are written by the
 * scheduler. Left out: capacity shared by several claims of one device, devices with binding conditions, and extended
 * resources backed by a device class.
 */

export { DeviceAllocator, NOT_ALL } from "./allocator.ts";
export { type Allocation, type Devices, exclusiveDevices, NO_DEVICES } from "./devices.ts";
export { claimsOf, whyUnallocatable } from "./pod-claims.ts";
