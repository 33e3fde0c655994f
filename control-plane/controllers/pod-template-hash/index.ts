import type { PodTemplateSpec } from "../../../shared/api/types.ts";
import { dump } from "./dump.ts";

/** Without vowels, 0, 1 and 3, so that no word comes out (apimachinery's rand). */
const SAFE_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * The hash of a pod template by which ReplicaSets are named and labelled: the same as upstream's for the same template,
 * so that objects of another cluster are found again after a move.
 * @param collisionCount status.collisionCount: another number gives another hash when a name is taken
 */
export function computeHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  let hash = fnv32a(new TextEncoder().encode(dump("v1.PodTemplateSpec", template)), FNV_OFFSET);
  if (collisionCount !== undefined) {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setUint32(0, collisionCount, true);
    hash = fnv32a(bytes, hash);
  }
  return [...String(hash)].map((digit) => SAFE_ALPHABET[digit.charCodeAt(0) % SAFE_ALPHABET.length]).join("");
}

/** FNV-1a of 32 bits, going on from `seed`. */
function fnv32a(bytes: Uint8Array, seed: number): number {
  let hash = seed;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash >>> 0;
}
