import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { findDetached, readStartTime } from "./detached-process.ts";

const POLL_MS = 50;

/** Runs the action while no other process does, by a file that names its holder. One left by a dead holder is taken over. */
export async function withStartLock<T>(path: string, action: () => Promise<T>): Promise<T> {
  while (!tryTake(path)) {
    if (isStale(path)) rmSync(path, { force: true });
    else await sleep(POLL_MS);
  }
  try {
    return await action();
  } finally {
    rmSync(path, { force: true });
  }
}

function tryTake(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid} ${readStartTime(process.pid)}\n`, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** A file that is whole and whose holder is gone; one that is being written at this moment is not. */
function isStale(path: string): boolean {
  try {
    return readFileSync(path, "utf8").endsWith("\n") && !findDetached(path);
  } catch {
    return false; // released just now
  }
}
