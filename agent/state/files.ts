import { open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** No API object's name ends so: the object `a.tmp` is not the unfinished file of `a`. */
const TEMPORARY = "~";

/**
 * Replaces a file whole: a reader, or a crash at any moment, finds the old content or the new. On the disk when it
 * settles. Calls for one path must not overlap (see `inOrder`): they share the temporary file.
 */
export async function writeFileAtomically(path: string, content: string | Buffer, mode = 0o600): Promise<void> {
  const temporary = `${path}${TEMPORARY}`;
  try {
    const file = await open(temporary, "w", mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }); // a full disk is not helped by half a file
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Removes what a crash has left in a directory, before anything is written there. */
export async function removeTemporaryFiles(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.endsWith(TEMPORARY)) await rm(join(directory, name), { force: true });
  }
}

/** The name is on the disk too: without this a power cut may take a rename back. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  await directory.sync().finally(() => directory.close());
}

/**
 * Runs actions of one key one after the other, in the order of the calls; those of different keys side by side. A failed
 * action holds up none that follow. Holds no more than what is running and waiting.
 */
export function createOrder(): <T>(key: string, action: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, action) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(action);
    const settled = turn.catch(() => undefined);
    last.set(key, settled);
    void settled.then(() => last.get(key) === settled && last.delete(key));
    return turn;
  };
}
