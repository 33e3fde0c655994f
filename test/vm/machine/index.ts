/** A virtual machine with cgroup v2 and systemd for the tests of test/vm/, and a Hearth node in it. */

export { Guest } from "./guest.ts";
export { BALLAST, BALLAST_ARCHIVE } from "./payload.ts";
export { CGROUP_DRIVERS, type CgroupDriver, containerdDir } from "./root-image.ts";
export { ADDRESSES, HOME_ROUTER, SITES, type Site, Sites, stateDir } from "./sites.ts";
export { startVirtualMachine, type VirtualMachine } from "./virtual-machine.ts";
export { NODE_NAME, SETUP_TIMEOUT_MS, STATE_DIR, TEST_TIMEOUT_MS, VmNode } from "./vm-node.ts";
