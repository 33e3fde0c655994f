import type { Stats } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { addDisk, type DiskUsage, NO_DISK } from "./usage.ts";

/** Of statfs' blocks, whatever the file system's own size of them. */
const STAT_BLOCK_BYTES = 512;

/**
 * What a directory takes of its disk, as `du -x` counts it: hard links once, nothing of other file systems. What vanishes
 * meanwhile is left out, and what is not there takes nothing.
 */
export async function measureDirectory(path: string): Promise<DiskUsage> {
  const top = await lstat(path).catch(missing);
  if (!top) return NO_DISK;
  const linked = new Set<number>();
  const open = [path];
  let usage = usageOf(top);
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    const entries = await opendir(directory).catch(missing);
    if (!entries) continue;
    for await (const { name } of entries) {
      const entry = join(directory, name);
      const info = await lstat(entry).catch(missing);
      if (!info || info.dev !== top.dev) continue;
      if (info.isDirectory()) open.push(entry);
      else if (info.nlink > 1 && linked.has(info.ino)) continue;
      if (info.nlink > 1) linked.add(info.ino);
      usage = addDisk(usage, usageOf(info));
    }
  }
  return usage;
}

const usageOf = ({ blocks }: Stats): DiskUsage => ({ bytes: blocks * STAT_BLOCK_BYTES, inodes: 1 });

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}
