/** Outer Ethernet, IP (20 or 40), UDP (8) and VXLAN (8) headers, as flannel and Calico count: 14 + 8 + 8 and the IP header. */
const VXLAN_OVERHEAD = { 4: 50, 6: 70 } as const;

/** Over IPv6, with what pads packets to 16 bytes: 40, UDP (8), WireGuard (32). */
const WIREGUARD_OVERHEAD = 80;
/** What is between sites is the internet, whatever this machine's own network takes. */
const INTERNET_MTU = 1500;

/** IPv6 does not go below this (RFC 8200). */
const LEAST_MTU = 1280;

/**
 * What a pod may send at once (bytes): what the machine's link takes, less what encapsulation adds where any is in use.
 * @param linkMtu of the interface that the node's address is on
 * @param uses.vxlan the family of the outer packets; absent: there is no VXLAN
 */
export function decideMtu(
  linkMtu: number,
  { vxlan, wireguard = false }: { vxlan?: 4 | 6; wireguard?: boolean },
): number {
  const encapsulated = linkMtu - (vxlan === undefined ? 0 : VXLAN_OVERHEAD[vxlan]);
  const encrypted = wireguard ? Math.min(linkMtu, INTERNET_MTU) - WIREGUARD_OVERHEAD : linkMtu;
  return Math.max(Math.min(LEAST_MTU, linkMtu), Math.min(encapsulated, encrypted));
}
