/** RFC 7468, with lines of 64 characters. */
export function printPem(label: string, der: Uint8Array): string {
  let binary = "";
  for (const byte of der) binary += String.fromCharCode(byte);
  const lines = btoa(binary).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/** The bytes of the first block with that label. @throws Error if there is none */
export function parsePem(label: string, pem: string): Uint8Array<ArrayBuffer> {
  const match = new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`).exec(pem);
  if (!match) throw new Error(`no PEM block "${label}"`);
  return Uint8Array.from(atob(match[1]!.replace(/\s/g, "")), (char) => char.charCodeAt(0));
}
