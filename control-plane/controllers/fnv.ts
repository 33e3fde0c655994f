const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** Without vowels, 0, 1 and 3, so that no word comes out (apimachinery's rand.SafeEncodeString). */
const SAFE_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** FNV-1a of 32 bits, going on from `seed`. */
export function fnv32a(bytes: Uint8Array, seed = OFFSET): number {
  let hash = seed;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}

/** FNV-1 of 32 bits: it multiplies first. */
export function fnv32(bytes: Uint8Array): number {
  let hash = OFFSET;
  for (const byte of bytes) hash = Math.imul(hash, PRIME) ^ byte;
  return hash >>> 0;
}

const OFFSET_128 = 0x6c62272e07bb014262b821756295c58dn;
const PRIME_128 = 0x0000000001000000000000000000013bn;

/** FNV-1a of 128 bits. */
export function fnv128a(bytes: Uint8Array): bigint {
  let hash = OFFSET_128;
  for (const byte of bytes) hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * PRIME_128);
  return hash;
}

/** A hash as names and labels show it. */
export const printHash = (hash: number): string =>
  [...String(hash)].map((digit) => SAFE_ALPHABET[digit.charCodeAt(0) % SAFE_ALPHABET.length]).join("");
