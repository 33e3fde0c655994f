import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A process that outlives us, found again by its pid file. */
export interface DetachedProcess {
  pid: number;
  /** Field 22 of /proc/<pid>/stat, so that a pid the kernel gave to someone else is never taken for ours. */
  startTime: string;
}

const STOP_POLL_MS = 20;

/**
 * Starts a process in a session of its own, its output appended to a log file, and remembers it in the pid file.
 * @throws Error if it cannot be started. One that ends right away is seen by the next `findDetached`.
 */
export function startDetached(options: {
  pidFile: string;
  logFile: string;
  file: string;
  args: string[];
  env?: Record<string, string | undefined>;
}): DetachedProcess {
  for (const path of [options.pidFile, options.logFile]) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const log = openSync(options.logFile, "a", 0o600);
  try {
    const child = spawn(options.file, options.args, {
      detached: true,
      stdio: ["ignore", log, log],
      cwd: "/",
      env: { ...process.env, ...options.env },
    });
    child.on("error", () => undefined); // there is no pid then, which is reported below
    child.unref();
    // It may have ended already; it is not reaped before this function returns.
    const startTime = child.pid === undefined ? undefined : readStat(child.pid)?.startTime;
    if (child.pid === undefined || startTime === undefined) throw new Error(`${options.file} could not be started`);
    const started = { pid: child.pid, startTime };
    writeFileSync(options.pidFile, `${started.pid} ${started.startTime}\n`, { mode: 0o600 });
    return started;
  } finally {
    closeSync(log);
  }
}

/** The process of the pid file, if it still runs and is the one we started. */
export function findDetached(pidFile: string): DetachedProcess | undefined {
  const known = parsePidFile(pidFile);
  return known && isRunning(known) ? known : undefined;
}

export function isRunning({ pid, startTime }: DetachedProcess): boolean {
  return readStartTime(pid) === startTime;
}

/**
 * Ends the process with SIGTERM, with SIGKILL after the grace period, and removes the pid file.
 * @returns whether there was one
 */
export async function stopDetached(pidFile: string, graceSeconds: number): Promise<boolean> {
  const found = findDetached(pidFile);
  if (found) {
    signal(found, "SIGTERM");
    const deadlineMs = Date.now() + graceSeconds * 1000;
    while (isRunning(found) && Date.now() < deadlineMs) await sleep(STOP_POLL_MS);
    signal(found, "SIGKILL");
    while (isRunning(found)) await sleep(STOP_POLL_MS);
  }
  rmSync(pidFile, { force: true });
  return found !== undefined;
}

/** `<pid> <start time>`; undefined for no file, or one cut by a crash: nothing that we could safely end. */
function parsePidFile(pidFile: string): DetachedProcess | undefined {
  if (!existsSync(pidFile)) return undefined;
  const match = /^(\d+) (\d+)\n$/.exec(readFileSync(pidFile, "utf8"));
  return match ? { pid: Number(match[1]), startTime: match[2]! } : undefined;
}

function signal(found: DetachedProcess, name: "SIGTERM" | "SIGKILL"): void {
  if (!isRunning(found)) return;
  try {
    process.kill(found.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it ended by itself just now
  }
}

/** Undefined when there is no such process, or only its zombie. */
export function readStartTime(pid: number): string | undefined {
  const stat = readStat(pid);
  return stat?.state === "Z" ? undefined : stat?.startTime;
}

function readStat(pid: number): { state: string; startTime: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command (field 2) may hold spaces and parentheses: count from its end.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0]!, startTime: fields[19]! };
  } catch {
    return undefined;
  }
}
