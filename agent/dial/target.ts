import { BlockList, isIPv6 } from "node:net";

/**
 * What an agent dials for nobody: itself and its machine's own loopback, link-local addresses (clouds serve credentials
 * at 169.254.169.254; the agent serves its pods at another), and what is no single host's. All else is for the API server
 * to decide, which dials pods, and nodes for who may use nodes/proxy.
 */
const REFUSED = new BlockList();
for (const [range, bits] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4],
  ["255.255.255.255", 32],
] as const) {
  REFUSED.addSubnet(range, bits, "ipv4");
}
for (const [range, bits] of [
  ["::", 128],
  ["::1", 128],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  REFUSED.addSubnet(range, bits, "ipv6");
}

/** @param address IPv4, or IPv6, also an IPv4 address within one (`::ffff:127.0.0.1`) */
export const isDialable = (address: string): boolean => !REFUSED.check(address, isIPv6(address) ? "ipv6" : "ipv4");
