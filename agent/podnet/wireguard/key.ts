import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { writeFileAtomically } from "../../state/index.ts";

/** Both in base64, as WireGuard has them. */
export interface KeyPair {
  privateKey: string;
  publicKey: string;
}

/** What stands before the 32 bytes of a private X25519 key in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b656e04220420", "hex");
const KEY_BYTES = 32;

/** The node's key, as `wg genkey` writes it; a new one where the file is missing, or holds none. Only root may read it. */
export async function ensureKey(path: string): Promise<KeyPair> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const known = keyPairOf(text.trim());
  if (known) return known;
  const { privateKey } = generateKeyPairSync("x25519");
  const { d = "" } = privateKey.export({ format: "jwk" });
  const pair = keyPairOf(Buffer.from(d, "base64url").toString("base64"));
  if (!pair) throw new Error("node:crypto made no X25519 key");
  await writeFileAtomically(path, `${pair.privateKey}\n`);
  return pair;
}

/** @returns undefined if it is no key */
export function keyPairOf(privateKey: string): KeyPair | undefined {
  const bytes = Buffer.from(privateKey, "base64");
  if (bytes.length !== KEY_BYTES || bytes.toString("base64") !== privateKey) return undefined;
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytes]), format: "der", type: "pkcs8" });
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return { privateKey, publicKey: Buffer.from(x, "base64url").toString("base64") };
}
