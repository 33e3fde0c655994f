import { chmod, lchown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Gives a volume to the pod's fsGroup: group owner, group read (and write), and set-group-id directories so that new
 * files belong to the group too.
 */
export async function applyFsGroup(
  directory: string,
  group: number,
  { readOnly }: { readOnly: boolean },
): Promise<void> {
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
