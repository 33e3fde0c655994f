import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Payload } from "./projection.ts";

const DATA_LINK = "..data";

/**
 * Writes a volume's files so that a reader sees the old set or the new one, never a mixture: they go into a new
 * directory, the link `..data` is swapped to it, and the visible names are links through `..data`. Upstream's layout,
 * which programs that watch their configuration rely on. Does nothing if all is as it should be.
 */
export async function writeAtomically(directory: string, payload: Payload): Promise<void> {
  const previous = await readlink(join(directory, DATA_LINK)).catch(() => undefined);
  if (previous !== undefined && (await isUpToDate(join(directory, previous), payload))) return;

  const version = await mkdtemp(join(directory, `..${timestamp(new Date())}.`));
  await chmod(version, 0o755);
  for (const [path, { content, mode, uid }] of payload) {
    const file = join(version, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, content);
    // After the write, since the umask takes bits away.
    await chmod(file, mode);
    if (uid !== undefined) await chown(file, uid, -1);
  }
  const swap = join(directory, "..data_tmp");
  await rm(swap, { force: true });
  const current = version.slice(directory.length + 1);
  await symlink(current, swap);
  await rename(swap, join(directory, DATA_LINK));

  const visible = new Set([...payload.keys()].map((path) => path.split("/")[0]!));
  for (const name of visible) {
    await symlink(join(DATA_LINK, name), join(directory, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
  for (const name of await readdir(directory)) {
    // The version before, and what a crash left between the making and the swap of one.
    const stale = name.startsWith("..") ? name !== DATA_LINK && name !== current : !visible.has(name);
    if (stale) await rm(join(directory, name), { recursive: true, force: true });
  }
}

async function isUpToDate(version: string, payload: Payload): Promise<boolean> {
  const present = new Set<string>();
  for (const entry of await readdir(version, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (entry.isFile()) present.add(join(entry.parentPath, entry.name).slice(version.length + 1));
  }
  if (present.size !== payload.size) return false;
  for (const [path, { content, mode }] of payload) {
    if (!present.has(path)) return false;
    const file = join(version, path);
    if (!(await readFile(file)).equals(content)) return false;
    // fsGroup may have added group bits since.
    if (((await stat(file)).mode & mode) !== mode) return false;
  }
  return true;
}

const timestamp = (now: Date) => now.toISOString().slice(0, 19).replaceAll(/[-T:]/g, "_");
