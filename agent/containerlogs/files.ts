/** The one file of this area that touches the disk. */
import { createReadStream, createWriteStream } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { compressedName, partsOf, type RotationPlan, unfinishedName } from "./plan.ts";

/** Undefined: it is not there. */
export const sizeOf = (file: string): Promise<number | undefined> =>
  stat(file).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    },
  );

export const listDirectory = (directory: string): Promise<string[]> => readdir(directory);

/**
 * Carries a plan out, up to the point where the log has its new name and the runtime does not know it yet.
 * @param reopen tells the runtime to write to a new file; when it fails the log gets its name back, for the next time
 */
export async function rotate(log: string, plan: RotationPlan, reopen: () => Promise<void>): Promise<void> {
  const path = (name: string) => join(dirname(log), name);
  for (const name of plan.remove) await rm(path(name), { force: true });
  for (const name of plan.compress) await compress(path(name));
  await rename(log, path(plan.rotated));
  try {
    await reopen();
  } catch (error) {
    await rename(path(plan.rotated), log);
    throw error;
  }
}

/** In place, and so that a crash leaves the part whole or compressed. */
async function compress(part: string): Promise<void> {
  const { mode } = await stat(part);
  const unfinished = unfinishedName(part);
  try {
    await pipeline(createReadStream(part), createGzip(), createWriteStream(unfinished, { mode: mode & 0o777 }));
    await rename(unfinished, compressedName(part));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await rm(part, { force: true });
}

/** A log with all its parts. What is not there is no error. */
export async function removeLog(log: string): Promise<void> {
  const directory = dirname(log);
  const parts = partsOf(basename(log), await readdir(directory).catch(() => []));
  for (const name of [basename(log), ...parts]) await rm(join(directory, name), { force: true });
}
