import { readdir, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";

const CGROUP_MOUNT = "/sys/fs/cgroup";

/**
 * Removes a cgroup and those below it, in the unified tree or in every hierarchy of version 1. Groups that still hold
 * processes stay. May be repeated.
 * @param path as the runtime gets it: `/kubepods/besteffort/pod<uid>`
 */
export async function removeCgroup(path: string, mount = CGROUP_MOUNT): Promise<void> {
  for (const directory of await directoriesOf(path, mount)) await removeTree(directory);
}

/** The processes in a cgroup and in those below it. */
export async function cgroupProcesses(path: string, mount = CGROUP_MOUNT): Promise<number[]> {
  const pids = new Set<number>();
  for (const directory of await directoriesOf(path, mount)) {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const { name, parentPath } of entries) {
      if (name !== "cgroup.procs") continue;
      const text = await readFile(join(parentPath, name), "utf8").catch(() => ""); // removed meanwhile
      for (const pid of text.split("\n").filter(Boolean)) pids.add(Number(pid));
    }
  }
  return [...pids];
}

/** In the unified tree, and in every hierarchy of version 1. @throws RangeError for the root */
async function directoriesOf(path: string, mount: string): Promise<string[]> {
  if (path.split("/").filter(Boolean).length === 0) throw new RangeError("the root cgroup is none of ours");
  const hierarchies = await readdir(mount, { withFileTypes: true }).catch(() => []);
  const roots = [mount, ...hierarchies.filter((entry) => entry.isDirectory()).map(({ name }) => join(mount, name))];
  return roots.map((root) => join(root, path));
}

async function removeTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => undefined);
  if (!entries) return;
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(directory, entry.name));
  await rmdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "EBUSY") throw error;
  });
}
