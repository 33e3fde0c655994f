import { open, rename } from "node:fs/promises";

/** Replaces a file whole: a reader, or a crash at any moment, finds the old content or the new. */
export async function writeFileAtomically(path: string, content: string | Buffer, mode = 0o600): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, "w", mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
