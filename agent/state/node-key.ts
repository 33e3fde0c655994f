import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { mkdir, readFile, rename } from "node:fs/promises";
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

/**
 * Reads the node's key, or makes one on the first start. Only the file's owner may read it. A damaged one is put aside,
 * with a note, and a new one made: what it had sealed is asked for again, and a node without its key would run no pod.
 */
export async function loadNodeKey(path: string, log: (message: string, error: unknown) => void): Promise<NodeKey> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let key: Buffer | undefined = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  if (key && key.length !== KEY_BYTES) {
    const aside = `${path}.damaged`;
    await rename(path, aside);
    log(`${path} was put aside as ${aside}`, new Error(`it is not a node key of ${KEY_BYTES} bytes`));
    key = undefined;
  }
  key ??= await createKey(path);
  return sealWith(key);
}

function sealWith(key: Buffer): NodeKey {
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
