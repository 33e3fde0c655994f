import { constants } from "node:fs";
import { chmod, type FileHandle, lstat, mkdir, open, rmdir, unlink, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { bindMount, mountsUnder, unmount } from "./mount-table.ts";

/** open(2): a handle on the place alone, with no right to what is in it. Node.js does not name it. */
const O_PATH = 0o10000000;
/** Sees a link as a link, also where a container has put one in place of a directory a moment ago. */
const PLACE = O_PATH | constants.O_NOFOLLOW;

/**
 * Mounts what lies at a path of a volume to a target outside of it, where no container can write. The runtime is given the
 * target: between our check of the path and the runtime's use of it, a container that shares the volume could swap a part
 * of the path for a link to anywhere on the node (CVE-2021-25741).
 * @param path real, and below `root`
 * @throws Error if a part of the path is a link by now, or is gone
 */
export async function pinPath(root: string, path: string, target: string): Promise<void> {
  const place = await openBelow(root, path);
  try {
    for (const mounted of await mountsUnder(target)) await unmount(mounted);
    await removePlace(target);
    if ((await place.stat()).isDirectory()) {
      await mkdir(target, { recursive: true, mode: 0o750 });
    } else {
      await mkdir(dirname(target), { recursive: true, mode: 0o750 });
      await writeFile(target, "", { flag: "a" });
    }
    await bindMount(`/proc/${process.pid}/fd/${place.fd}`, target);
  } finally {
    await place.close();
  }
}

/** A directory may stand where now a file is needed, or the other way round. Never what is in it: that would be a mount's. */
async function removePlace(target: string): Promise<void> {
  const info = await lstat(target).catch(() => undefined);
  if (info) await (info.isDirectory() ? rmdir(target) : unlink(target));
}

/**
 * Makes directories one within the other at a path of a volume, and nowhere else whatever containers do meanwhile.
 * @param path real, and below `root`
 * @param mode of those that were not there
 * @throws Error if something else has one of the names
 */
export async function makeBelow(root: string, path: string, names: string[], mode: number): Promise<void> {
  let place = await openBelow(root, path);
  try {
    for (const name of names) {
      const child = `/proc/self/fd/${place.fd}/${name}`;
      const isNew = await mkdir(child).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== "EEXIST") throw error;
          return false;
        },
      );
      const next = await open(child, PLACE);
      await place.close();
      place = next;
      if (!(await place.stat()).isDirectory()) throw new Error(`${name} is no directory`);
      if (isNew) await chmod(`/proc/self/fd/${place.fd}`, mode);
    }
  } finally {
    await place.close();
  }
}

/** Opens each part of the path within the one before, as openat(2) does. */
async function openBelow(root: string, path: string): Promise<FileHandle> {
  let place = await open(root, PLACE);
  try {
    for (const part of relative(root, path).split("/").filter(Boolean)) {
      const next = await open(`/proc/self/fd/${place.fd}/${part}`, PLACE);
      await place.close();
      place = next;
      if ((await place.stat()).isSymbolicLink()) throw new Error(`${path} is not what it was`);
    }
    return place;
  } catch (error) {
    await place.close();
    throw error;
  }
}
