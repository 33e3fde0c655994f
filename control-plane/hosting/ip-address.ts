/** The 4 or 16 bytes of an IP address, as a certificate's iPAddress holds them. @throws Error if it is none */
export function parseIpAddress(text: string): Uint8Array<ArrayBuffer> {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) {
    const bytes = text.split(".").map(Number);
    if (bytes.every((byte) => byte <= 255)) return Uint8Array.from(bytes);
  } else if (text.includes(":")) {
    // The URL parser writes any IPv6 address in its one canonical form, without dotted quads.
    const { hostname } = URL.canParse(`http://[${text}]`) ? new URL(`http://[${text}]`) : { hostname: "" };
    if (hostname) return expandIpv6(hostname.slice(1, -1));
  }
  throw new Error(`"${text}" is not an IP address`);
}

function expandIpv6(canonical: string): Uint8Array<ArrayBuffer> {
  const [head = "", tail] = canonical.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right].map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
