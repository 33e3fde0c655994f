import type { Stats } from "node:fs";
import { chmod, lchown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Gives a volume to the pod's fsGroup: group owner, group read (and write), and set-group-id directories so that new
 * files belong to the group too.
 */
export async function applyFsGroup(
  directory: string,
  group: number,
  { readOnly, onlyIfRootDiffers = false }: { readOnly: boolean; onlyIfRootDiffers?: boolean },
): Promise<void> {
  if (onlyIfRootDiffers && isGiven(await lstat(directory), group, readOnly)) return;
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = [directory, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  for (const path of paths) {
    const info = await lstat(path);
    await lchown(path, info.uid, group);
    if (info.isSymbolicLink()) continue;
    const access = readOnly ? 0o440 : 0o660;
    await chmod(path, (info.mode & 0o7777) | access | (info.isDirectory() ? 0o2110 : 0));
  }
}

/** fsGroupChangePolicy OnRootMismatch: a root that is as it should be stands for all that is below it (KEP-695). */
function isGiven({ gid, mode }: Pick<Stats, "gid" | "mode">, group: number, readOnly: boolean): boolean {
  const wanted = (readOnly ? 0o440 : 0o660) | 0o2110;
  return gid === group && (mode & wanted) === wanted;
}
