/** Outer Ethernet, IP (20 or 40), UDP (8) and VXLAN (8) headers, as flannel and Calico count: 14 + 8 + 8 and the IP header. */
const VXLAN_OVERHEAD = { 4: 50, 6: 70 } as const;

/** IPv6 does not go below this (RFC 8200). */
const LEAST_MTU = 1280;

/**
 * What a pod may send at once (bytes): what the machine's link takes, less what encapsulation adds where any is in use.
 * @param linkMtu of the interface that the node's address is on
 * @param underlay the family of the outer packets; undefined: nothing is encapsulated
 */
export function decideMtu(linkMtu: number, underlay: 4 | 6 | undefined): number {
  return underlay === undefined ? linkMtu : Math.max(Math.min(LEAST_MTU, linkMtu), linkMtu - VXLAN_OVERHEAD[underlay]);
}
