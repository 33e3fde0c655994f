import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";

const CGROUP_MOUNT = "/sys/fs/cgroup";

/**
 * Removes a cgroup and those below it, in the unified tree or in every hierarchy of version 1. Groups that still hold
 * processes stay. May be repeated.
 * @param path as the runtime gets it: `/kubepods/besteffort/pod<uid>`
 */
export async function removeCgroup(path: string, mount = CGROUP_MOUNT): Promise<void> {
  if (path.split("/").filter(Boolean).length === 0) throw new RangeError("refusing to remove the root cgroup");
  const hierarchies = await readdir(mount, { withFileTypes: true }).catch(() => []);
  const roots = [mount, ...hierarchies.filter((entry) => entry.isDirectory()).map(({ name }) => join(mount, name))];
  for (const root of roots) await removeTree(join(root, path));
}

async function removeTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => undefined);
  if (!entries) return;
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(directory, entry.name));
  await rmdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "EBUSY") throw error;
  });
}
