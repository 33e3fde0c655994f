import type { IpAddress } from "../api/ip.ts";

const IPV4_HEADER_BYTES = 20;
const IPV6_HEADER_BYTES = 40;

/** Who sends an IP packet, and to whom; undefined if it is none. */
export function addressesOf(packet: Uint8Array): { source: IpAddress; destination: IpAddress } | undefined {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const version = packet.byteLength > 0 ? view.getUint8(0) >> 4 : 0;
  if (version === 4 && packet.byteLength >= IPV4_HEADER_BYTES) {
    return { source: ipv4(view, 12), destination: ipv4(view, 16) };
  }
  if (version === 6 && packet.byteLength >= IPV6_HEADER_BYTES) {
    return { source: ipv6(view, 8), destination: ipv6(view, 24) };
  }
  return undefined;
}

const ipv4 = (view: DataView, offset: number): IpAddress => ({
  family: 4,
  value: BigInt(view.getUint32(offset)),
  mapped: false,
});

const ipv6 = (view: DataView, offset: number): IpAddress => ({
  family: 6,
  value: (view.getBigUint64(offset) << 64n) | view.getBigUint64(offset + 8),
  mapped: false,
});
