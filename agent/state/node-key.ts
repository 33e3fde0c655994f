import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFileAtomically } from "./files.ts";

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals what must not lie on the node's disk in the clear. */
export interface NodeKey {
  seal(text: string): Buffer;
  /** @throws Error if it was sealed with another key, or changed since */
  open(sealed: Buffer): string;
}

/** Reads the node's key, or makes one on the first start. Only the file's owner may read it. */
export async function loadNodeKey(path: string): Promise<NodeKey> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const key = await readFile(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return createKey(path);
  });
  if (key.length !== KEY_BYTES) throw new Error(`${path} is not a node key of ${KEY_BYTES} bytes`);
  return {
    seal(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, IV_BYTES));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const body = sealed.subarray(IV_BYTES, -TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
    },
  };
}

/** On the disk before it is used: what was sealed with a lost key is lost. Whole or not at all, whenever we are killed. */
async function createKey(path: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  await writeFileAtomically(path, key);
  return key;
}
