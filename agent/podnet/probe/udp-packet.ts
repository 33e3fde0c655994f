import type { IpAddress } from "../../../shared/api/ip.ts";

const UDP_BYTES = 8;
const UDP = 17;
const TTL = 64;

export interface UdpPacket {
  source: IpAddress;
  /** Of the source's family. */
  destination: IpAddress;
  /** Of both ends. */
  port: number;
  payload: Uint8Array;
}

/** An IP packet with a UDP datagram, as the kernel would write it (RFC 768, 791, 8200), for what an overlay carries. */
export function renderUdpPacket({ source, destination, port, payload }: UdpPacket): Uint8Array {
  const { family } = source;
  const headerBytes = family === 4 ? 20 : 40;
  const udpBytes = UDP_BYTES + payload.byteLength;
  const packet = new Uint8Array(headerBytes + udpBytes);
  const view = new DataView(packet.buffer);
  if (family === 4) {
    view.setUint8(0, 0x45);
    view.setUint16(2, packet.byteLength);
    view.setUint8(8, TTL);
    view.setUint8(9, UDP);
  } else {
    view.setUint8(0, 0x60);
    view.setUint16(4, udpBytes);
    view.setUint8(6, UDP);
    view.setUint8(7, TTL);
  }
  const size = family === 4 ? 4 : 16;
  packet.set(bytesOf(source, size), headerBytes - 2 * size);
  packet.set(bytesOf(destination, size), headerBytes - size);
  if (family === 4) view.setUint16(10, checksum(packet.subarray(0, headerBytes)));
  view.setUint16(headerBytes, port);
  view.setUint16(headerBytes + 2, port);
  view.setUint16(headerBytes + 4, udpBytes);
  packet.set(payload, headerBytes + UDP_BYTES);
  // Of both addresses, the protocol and the length as well; in UDP nought stands for "none".
  const covered = packet.subarray(headerBytes - 2 * size);
  view.setUint16(headerBytes + 6, checksum(covered, UDP + udpBytes) || 0xffff);
  return packet;
}

function bytesOf({ value }: IpAddress, size: number): number[] {
  return Array.from({ length: size }, (_, i) => Number((value >> BigInt(8 * (size - 1 - i))) & 0xffn));
}

/** RFC 1071. */
function checksum(bytes: Uint8Array, start = 0): number {
  let sum = start;
  for (let i = 0; i < bytes.byteLength; i += 2) sum += (bytes[i]! << 8) | (bytes[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
