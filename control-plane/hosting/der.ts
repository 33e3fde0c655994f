/**
 * Writes ASN.1 in DER (X.690), the few types a certificate is made of. It does not read: nothing foreign is parsed here.
 * A full X.509 library would be a third of the Worker's size and start-up time for the two certificates that we write.
 */
export type Der = Uint8Array<ArrayBuffer>;

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One element: tag, length, contents. */
export function element(tag: number, ...contents: Uint8Array[]): Der {
  const length = contents.reduce((sum, part) => sum + part.length, 0);
  return concat(Uint8Array.of(tag, ...encodeLength(length)), ...contents);
}

export const sequence = (...items: Der[]) => element(TAG.sequence, ...items);
export const set = (...items: Der[]) => element(TAG.set, ...items);
export const octetString = (bytes: Uint8Array) => element(TAG.octetString, bytes);
export const boolean = (value: boolean) => element(TAG.boolean, Uint8Array.of(value ? 0xff : 0));
export const utf8String = (text: string) => element(TAG.utf8String, new TextEncoder().encode(text));

/** `unusedBits`: how many of the last byte's low bits mean nothing. */
export const bitString = (bytes: Uint8Array, unusedBits = 0) =>
  element(TAG.bitString, Uint8Array.of(unusedBits), bytes);

/** Context-specific tag; constructed when it wraps other elements. */
export const tagged = (number: number, constructed: boolean, ...contents: Uint8Array[]) =>
  element((constructed ? 0xa0 : 0x80) | number, ...contents);

/** A non-negative integer from its big-endian bytes. */
export function integer(bytes: Uint8Array): Der {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const trimmed = bytes.subarray(start);
  // A set top bit would make it negative.
  return (trimmed[0] ?? 0) >= 0x80
    ? element(TAG.integer, Uint8Array.of(0), trimmed)
    : element(TAG.integer, trimmed.length ? trimmed : Uint8Array.of(0));
}

/** `1.2.840.10045.2.1` */
export function oid(text: string): Der {
  const [first, second, ...rest] = text.split(".").map(Number);
  const bytes = [first! * 40 + second!];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return element(TAG.oid, Uint8Array.from(bytes));
}

/** Whole seconds; UTCTime until 2049, GeneralizedTime from then on (RFC 5280 §4.1.2.5). */
export function time(epochMs: number): Der {
  const digits = new Date(epochMs).toISOString().replace(/[-:T]|\.\d+/g, "");
  const isLate = new Date(epochMs).getUTCFullYear() >= 2050;
  return element(
    isLate ? TAG.generalizedTime : TAG.utcTime,
    new TextEncoder().encode(isLate ? digits : digits.slice(2)),
  );
}

/** ECDSA signatures come from WebCrypto as r and s side by side, and go into certificates as a sequence of two. */
export function ecdsaSignature(raw: Uint8Array): Der {
  const half = raw.length / 2;
  return sequence(integer(raw.subarray(0, half)), integer(raw.subarray(half)));
}

export function concat(...parts: Uint8Array[]): Der {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function encodeLength(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let left = length; left > 0; left >>>= 8) bytes.unshift(left & 0xff);
  return [0x80 | bytes.length, ...bytes];
}
