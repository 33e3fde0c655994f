import { createHash } from "node:crypto";

/** Linux: IFNAMSIZ is 16 with the closing zero. */
const MAX_INTERFACE_NAME = 15;

/** The VXLAN device of an agent. */
export const overlayName = (instance: string) => `hearthv-${instance}`.slice(0, MAX_INTERFACE_NAME);

/** The device whose packets the agent takes, for peers over the relay. */
export const relayName = (instance: string) => `hearthr-${instance}`.slice(0, MAX_INTERFACE_NAME);

/** The WireGuard device of an agent. */
export const wireGuardName = (instance: string) => `hearthw-${instance}`.slice(0, MAX_INTERFACE_NAME);

/**
 * How the kernel hands packets to the agent: as VXLAN to loopback's broadcast address. Those to an address of the machine
 * itself the VXLAN driver never sends; it looks for the device that they are meant for, whatever the port, and drops them.
 */
export const RELAY_ADDRESS = "127.255.255.255";
/** Whom those packets, and the agent's to the device, are from. */
export const RELAY_SOURCE = "127.0.0.1";

/** UDP, on loopback. */
export interface RelayPorts {
  /** Where the agent takes packets, and sends its own from. */
  agent: number;
  /** The device's. */
  kernel: number;
}

/** Above those that Linux gives to programs that ask for any (32768 to 60999). */
export function relayPorts(instance: string): RelayPorts {
  const agent = 61_000 + 2 * (digest(instance).readUInt16BE(1) % 2_000);
  return { agent, kernel: agent + 1 };
}

/** The nftables table of an agent's pod network (family inet). */
export const tableName = (instance: string) => `hearth-pods-${instance}`;

/**
 * Who made a route, as `ip route` shows it (`proto`). An agent takes away none but its own: 96 to 159 are free of the
 * numbers that routing daemons have (rtnetlink.h).
 */
export const routeProtocol = (instance: string) => 96 + (digest(instance)[0]! % 64);

/** Linux' own default, which flannel and Cilium have as well; cut through firewalls for them, it is for us. */
export const VXLAN_PORT = 8472;

/** The 24 bits that tell clusters on one network apart. @param clusterUid that of the kube-system namespace */
export const vxlanId = (clusterUid: string) => 1 + (digest(clusterUid).readUIntBE(0, 3) % 0xfffffe);

/** The address of a node's VXLAN device. Made from the name, so that nobody has to be asked; locally administered. */
export function vxlanMac(clusterUid: string, nodeName: string): string {
  const bytes = digest(`${clusterUid}/${nodeName}`).subarray(0, 5);
  return ["02", ...Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))].join(":");
}

const digest = (text: string) => createHash("sha256").update(text).digest();
