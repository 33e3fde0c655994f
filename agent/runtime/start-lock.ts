import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DetachedProcess, findDetached, readStartTime } from "./detached-process.ts";

const POLL_MS = 50;

/** Runs the action while no other process does, by a file that names its holder. One left by a dead holder is taken over. */
export async function withStartLock<T>(path: string, action: () => Promise<T>): Promise<T> {
  while (takeLock(path) !== undefined) await sleep(POLL_MS);
  try {
    return await action();
  } finally {
    rmSync(path, { force: true });
  }
}

/**
 * Takes the lock for as long as this process lives, or until it removes the file.
 * @returns who has it, if somebody else does; undefined: it is ours
 */
export function takeLock(path: string): DetachedProcess | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const mine = `${path}.${randomUUID()}`;
  try {
    // Whole before it has its name: a crash, or a full disk, leaves no lock that names nobody.
    writeFileSync(mine, `${process.pid} ${readStartTime(process.pid)}\n`, { flag: "wx", mode: 0o600 });
    for (;;) {
      if (tryLink(mine, path)) return undefined;
      const holder = findDetached(path);
      if (holder) return holder;
      removeStale(path);
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Another process may take a stale lock over in the same moment: what is removed is looked at once it is out of the way. */
function removeStale(path: string): void {
  const grabbed = `${path}.${randomUUID()}`;
  try {
    renameSync(path, grabbed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return; // released, or taken over, just now
    throw error;
  }
  if (findDetached(grabbed)) tryLink(grabbed, path);
  rmSync(grabbed, { force: true });
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
