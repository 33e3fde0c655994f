import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Home } from "./home.ts";

export type ProcessName = "control-plane" | "agent" | "containerd";

export interface DetachedProcess {
  pid: number;
  /** Field 22 of /proc/<pid>/stat, so that a pid the kernel gave to someone else is never taken for ours. */
  startTime: string;
}

const STOP_POLL_MS = 50;

/** Starts a process of its own group, its output appended to `logs/<name>.log`, and remembers it in a pid file. */
export function startDetached(
  home: Home,
  name: ProcessName,
  command: { file: string; args: string[]; env?: Record<string, string> },
): DetachedProcess {
  const log = openSync(logFile(home, name), "a", 0o600);
  try {
    const child = spawn(command.file, command.args, {
      detached: true,
      stdio: ["ignore", log, log],
      cwd: "/",
      env: { ...process.env, HEARTH_HOME: home.dir, ...command.env },
    });
    // Without a pid the spawn failed; the error event has the reason, but there is nobody left to hear it.
    child.on("error", () => undefined);
    child.unref();
    const { pid } = child;
    const startTime = pid === undefined ? undefined : readStartTime(pid);
    if (pid === undefined || startTime === undefined) throw new Error(`${command.file} could not be started`);
    writeFileSync(pidFile(home, name), JSON.stringify({ pid, startTime }), { mode: 0o600 });
    return { pid, startTime };
  } finally {
    closeSync(log);
  }
}

/** The process of the pid file, if it still runs and is the one we started. */
export function findDetached(home: Home, name: ProcessName): DetachedProcess | undefined {
  let known: DetachedProcess;
  try {
    known = JSON.parse(readFileSync(pidFile(home, name), "utf8")) as DetachedProcess;
  } catch {
    return undefined; // no pid file, or one cut by a crash: nothing we could safely end
  }
  return isRunning(known) ? known : undefined;
}

export function isRunning({ pid, startTime }: DetachedProcess): boolean {
  return readStartTime(pid) === startTime;
}

/**
 * Ends the process with SIGTERM, and with SIGKILL after the grace period.
 * @returns whether there was one
 */
export async function stopDetached(home: Home, name: ProcessName, graceSeconds: number): Promise<boolean> {
  const found = findDetached(home, name);
  if (found) {
    process.kill(found.pid, "SIGTERM");
    const deadlineMs = Date.now() + graceSeconds * 1000;
    while (isRunning(found) && Date.now() < deadlineMs) await sleep(STOP_POLL_MS);
    if (isRunning(found)) process.kill(found.pid, "SIGKILL");
    while (isRunning(found)) await sleep(STOP_POLL_MS);
  }
  rmSync(pidFile(home, name), { force: true });
  return found !== undefined;
}

export const logFile = (home: Home, name: ProcessName) => join(home.logDir, `${name}.log`);

/** Undefined when there is no such process, or only its zombie. */
function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command (field 2) may hold spaces and parentheses: count from its end.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

const pidFile = (home: Home, name: ProcessName) => join(home.runDir, `${name}.pid`);
