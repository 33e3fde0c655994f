import type { PodTemplateSpec } from "../../../shared/api/types.ts";
import { canonicalJson } from "./canonical-json.ts";

export const POD_TEMPLATE_HASH = "pod-template-hash";

/** Without vowels, 0, 1 and 3, so that no word comes out (apimachinery's rand). */
const SAFE_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/**
 * The value of the label pod-template-hash.
 * @param collisionCount status.collisionCount: another number gives another hash when a name is taken
 */
export function computeHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  let hash = fnv32a(new TextEncoder().encode(canonicalJson(template)), 0x811c9dc5);
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
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Whether two templates say the same, the hash label apart. */
export function isSameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return textOf(a) === textOf(b);
}

const texts = new WeakMap<PodTemplateSpec, string>();

function textOf(template: PodTemplateSpec): string {
  let text = texts.get(template);
  if (text === undefined) {
    const { [POD_TEMPLATE_HASH]: _hash, ...labels } = template.metadata?.labels ?? {};
    text = canonicalJson({ ...template, metadata: { ...template.metadata, labels } });
    texts.set(template, text);
  }
  return text;
}
