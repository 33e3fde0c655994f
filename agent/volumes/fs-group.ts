import type { Stats } from "node:fs";
import { chmod, lchown, lstat, opendir, stat } from "node:fs/promises";
import { join } from "node:path";

/** After this long somebody is told, and then again and again; upstream's firstEventReportDuration and its progress report. */
const FIRST_REPORT_MS = 30_000;
const REPORT_MS = 60_000;

export interface FsGroupOptions {
  readOnly: boolean;
  /** fsGroupChangePolicy OnRootMismatch. */
  onlyIfRootDiffers?: boolean;
  /** Told when it takes long: at first without a number, then with how many files are done. */
  onSlow?: (files: number | undefined) => void;
}

/**
 * Gives a volume to the pod's fsGroup: group owner, group read (and write), and set-group-id directories so that new
 * files belong to the group too. The root comes last: when it is as it should be, all below it is.
 */
export async function applyFsGroup(
  directory: string,
  group: number,
  { readOnly, onlyIfRootDiffers = false, onSlow = () => {} }: FsGroupOptions,
): Promise<void> {
  if (onlyIfRootDiffers && isGiven(await stat(directory), group, readOnly)) return;
  const startMs = Date.now();
  let nextReportMs = startMs + FIRST_REPORT_MS;
  let files = 0;
  for await (const path of walkDeep(directory)) {
    await give(path, group, readOnly);
    files += 1;
    if (Date.now() < nextReportMs) continue;
    onSlow(nextReportMs === startMs + FIRST_REPORT_MS ? undefined : files);
    nextReportMs = Date.now() + REPORT_MS;
  }
}

async function give(path: string, group: number, readOnly: boolean): Promise<void> {
  // A file that went meanwhile is nobody's; one that cannot be given away (a read-only server, say) is left as it is.
  const info = await lstat(path).catch(() => undefined);
  if (!info) return;
  await lchown(path, info.uid, group).catch(ignoreRefusal);
  // A change of a link's mode would go to its target.
  if (info.isSymbolicLink()) return;
  await chmod(path, (info.mode & 0o7777) | bitsFor(readOnly, info.isDirectory())).catch(ignoreRefusal);
}

const bitsFor = (readOnly: boolean, isDirectory: boolean) => (readOnly ? 0o440 : 0o660) | (isDirectory ? 0o2110 : 0);

/** The kubelet goes on too: what matters shows when the pod reads its files. */
function ignoreRefusal(error: NodeJS.ErrnoException): void {
  if (!["ENOENT", "EPERM", "EROFS", "EACCES"].includes(error.code ?? "")) throw error;
}

/** Everything below, before what it lies in; links are not followed. */
async function* walkDeep(directory: string): AsyncGenerator<string> {
  for await (const entry of await opendir(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* walkDeep(path);
    else yield path;
  }
  yield directory;
}

/** A root that is as it should be stands for all that is below it (KEP-695). */
function isGiven(info: Stats, group: number, readOnly: boolean): boolean {
  const wanted = bitsFor(readOnly, true);
  return info.isDirectory() && info.gid === group && (info.mode & wanted) === wanted;
}
