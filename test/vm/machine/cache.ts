import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Machines made by an earlier recipe go when a newer one is there: each takes about a gigabyte. */
const KEPT_PER_KIND = 1;

const BUILDING = ".building-";
const CACHE = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "hearth", "vm");

/** Names a thing by what it is made of: the contents of files and folders. */
export function contentKey(paths: string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) {
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [path];
    for (const file of files) hash.update(`${file.slice(path.length)}\0`).update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 16);
}

/**
 * A directory of the user's cache, filled at the first call. A build that fails, or is interrupted, leaves nothing.
 * @param kind what is built, e.g. `root`
 * @param key what decides its content; another key replaces it
 */
export async function cached(kind: string, key: string, build: (dir: string) => Promise<void>): Promise<string> {
  const target = join(CACHE, `${kind}-${key}`);
  if (existsSync(target)) return target;
  mkdirSync(CACHE, { recursive: true, mode: 0o700 });
  removeInterrupted();
  const work = mkdtempSync(join(CACHE, `${kind}${BUILDING}${process.pid}-`));
  try {
    await build(work);
    renameSync(work, target);
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    throw error;
  }
  const older = readdirSync(CACHE)
    .filter((name) => name.startsWith(`${kind}-`) && name !== `${kind}-${key}`)
    .sort((a, b) => statSync(join(CACHE, b)).mtimeMs - statSync(join(CACHE, a)).mtimeMs);
  for (const name of older.slice(KEPT_PER_KIND - 1)) rmSync(join(CACHE, name), { recursive: true, force: true });
  return target;
}

/** What a process that is no more was building. */
function removeInterrupted(): void {
  for (const name of readdirSync(CACHE)) {
    const pid = name.split(BUILDING)[1]?.split("-")[0];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(CACHE, name), { recursive: true, force: true });
  }
}
