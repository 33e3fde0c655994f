const encoder = new TextEncoder();

/** UTF-8 bytes; the buffer is its own, so WebCrypto takes it as is. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text) as Uint8Array<ArrayBuffer>;
}

/** base64url without padding (RFC 4648 §5), as JWTs and our tokens use it. */
export function base64url(bytes: ArrayBuffer | Uint8Array): string {
  let binary = "";
  for (const byte of bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @throws Error if the text is not base64url */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** @throws Error if the text is not pairs of hex digits */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const pairs = text.match(/^([0-9a-f]{2})*$/) ? (text.match(/../g) ?? []) : undefined;
  if (!pairs) throw new Error("not a hex text");
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}

export function hex(bytes: ArrayBuffer | Uint8Array): string {
  let text = "";
  for (const byte of bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)) {
    text += byte.toString(16).padStart(2, "0");
  }
  return text;
}

/** Hex SHA-256 of a text: what we keep of a secret, and what we compare instead of it. */
export async function sha256Hex(text: string): Promise<string> {
  return hex(await crypto.subtle.digest("SHA-256", utf8(text)));
}

/** `byteCount` random bytes as base64url. */
export function randomText(byteCount: number): string {
  return base64url(crypto.getRandomValues(new Uint8Array(byteCount)));
}
