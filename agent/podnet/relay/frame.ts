/** Of VXLAN (RFC 7348): flags, of which only "there is an identifier" is set, and the identifier. */
const VXLAN_BYTES = 8;
const HAS_IDENTIFIER = 0x08;
const ETHERNET_BYTES = 14;
const ETHER_TYPE = { 4: 0x0800, 6: 0x86dd } as const;

/**
 * What a VXLAN device sends: for whom, by the address of the peer's device, and the IP packet.
 * @returns undefined for what is no IP (ARP, say); the packet is a view
 */
export function unwrap(frame: Uint8Array): { to: string; packet: Uint8Array } | undefined {
  const start = VXLAN_BYTES + ETHERNET_BYTES;
  if (frame.byteLength <= start || frame[0] !== HAS_IDENTIFIER) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const type = view.getUint16(start - 2);
  if (type !== ETHER_TYPE[4] && type !== ETHER_TYPE[6]) return undefined;
  const mac = Array.from(frame.subarray(VXLAN_BYTES, VXLAN_BYTES + 6), (byte) => byte.toString(16).padStart(2, "0"));
  return { to: mac.join(":"), packet: frame.subarray(start) };
}

/** A packet as a VXLAN device takes it. @param header.to its own address, as `02:…`; `from` that of the peer's */
export function wrap(packet: Uint8Array, { id, to, from }: { id: number; to: string; from: string }): Uint8Array {
  const start = VXLAN_BYTES + ETHERNET_BYTES;
  const frame = new Uint8Array(start + packet.byteLength);
  const view = new DataView(frame.buffer);
  frame[0] = HAS_IDENTIFIER;
  view.setUint32(4, id << 8);
  frame.set(bytesOfMac(to), VXLAN_BYTES);
  frame.set(bytesOfMac(from), VXLAN_BYTES + 6);
  view.setUint16(start - 2, packet[0]! >> 4 === 6 ? ETHER_TYPE[6] : ETHER_TYPE[4]);
  frame.set(packet, start);
  return frame;
}

const bytesOfMac = (mac: string) => mac.split(":").map((byte) => Number.parseInt(byte, 16));
