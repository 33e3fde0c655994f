import { randomText, sha256Hex } from "./encoding.ts";
import type { JoinTokenRow } from "./identity-tables.ts";

const ID_CHARS = 10;
const SECRET_BYTES = 24;

export type JoinVerdict = { ok: true } | { ok: false; reason: "unknown" | "expired" };

/** A fresh token: the text for people, and what is kept of it. */
export async function createJoinSecret(expiresMs: number): Promise<{ secret: string; row: JoinTokenRow }> {
  const id = randomId();
  const secretPart = randomText(SECRET_BYTES);
  return { secret: `${id}.${secretPart}`, row: { id, secretHash: await sha256Hex(secretPart), expiresMs } };
}

/** A wrong secret under a known id is answered like an unknown id: neither may be told apart by guessing. */
export function decideJoin(row: JoinTokenRow | undefined, secretHash: string, nowMs: number): JoinVerdict {
  if (!row || row.secretHash !== secretHash) return { ok: false, reason: "unknown" };
  return nowMs < row.expiresMs ? { ok: true } : { ok: false, reason: "expired" };
}

/** `<id>.<secret>` cut in two; undefined when it does not have that form. */
export function splitJoinSecret(text: string): { id: string; secretPart: string } | undefined {
  const match = /^([a-z0-9]{6,32})\.([A-Za-z0-9_-]{16,128})$/.exec(text);
  return match ? { id: match[1]!, secretPart: match[2]! } : undefined;
}

function randomId(): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  return Array.from(crypto.getRandomValues(new Uint8Array(ID_CHARS)), (byte) => alphabet[byte % 32]).join("");
}
