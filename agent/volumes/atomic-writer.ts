import {
  chmod,
  chown,
  lchown,
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
 * which programs that watch their configuration rely on. What else lies in the directory (mount points for volumes that
 * are mounted within this one) is left alone. Writes nothing if all is as it should be.
 * @param setPermissions of everything in the directory, the new files included: done before any of them can be seen
 */
export async function writeAtomically(
  directory: string,
  payload: Payload,
  setPermissions: () => Promise<void> = async () => {},
): Promise<void> {
  const previous = await readlink(join(directory, DATA_LINK)).catch(() => undefined);
  if (previous === undefined || !(await isUpToDate(join(directory, previous), payload))) {
    await writeVersion(directory, payload, setPermissions);
  }
  // Also when nothing has changed: a crash may have come between the swap and the links.
  const owners = visibleNames(payload);
  for (const [name, uid] of owners) await linkName(directory, name, uid);
  await removeStale(directory, new Set(owners.keys()));
}

async function writeVersion(directory: string, payload: Payload, setPermissions: () => Promise<void>): Promise<void> {
  const version = await mkdtemp(join(directory, `..${timestamp(new Date())}.`));
  try {
    await fillVersion(version, payload);
    await setPermissions();
    const swap = join(directory, "..data_tmp");
    await rm(swap, { force: true });
    await symlink(version.slice(directory.length + 1), swap);
    await rename(swap, join(directory, DATA_LINK));
  } catch (error) {
    await rm(version, { recursive: true, force: true }); // it is tried again, and a full disk is not to become fuller
    throw error;
  }
}

async function fillVersion(version: string, payload: Payload): Promise<void> {
  await chmod(version, 0o755);
  for (const [path, { content, mode, uid }] of payload) {
    const file = join(version, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, content);
    // After the write, since the umask takes bits away.
    await chmod(file, mode);
    if (uid !== undefined) await chown(file, uid, -1);
  }
}

/** The first part of each path, with the owner that the files below it have. */
const visibleNames = (payload: Payload): Map<string, number | undefined> =>
  new Map([...payload].map(([path, { uid }]) => [path.split("/")[0]!, uid]));

async function linkName(directory: string, name: string, uid: number | undefined): Promise<void> {
  const link = join(directory, name);
  try {
    await symlink(join(DATA_LINK, name), link);
    if (uid !== undefined) await lchown(link, uid, -1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Links to what is no more, the version before, and what a crash left between the making and the swap of one. */
async function removeStale(directory: string, visible: ReadonlySet<string>): Promise<void> {
  const current = await readlink(join(directory, DATA_LINK));
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const { name } = entry;
    const isStale = name.startsWith("..")
      ? name !== DATA_LINK && name !== current
      : entry.isSymbolicLink() && !visible.has(name);
    if (isStale) await rm(join(directory, name), { recursive: true, force: true });
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
