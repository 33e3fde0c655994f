import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ContainerdPaths, containerdPaths, renderContainerdConfig } from "./containerd-config.ts";
import { findDetached, startDetached, stopDetached } from "./detached-process.ts";
import { findCniBinDir, findProgram, mayRaisePriority, runtimePath } from "./host-facts.ts";
import { withStartLock } from "./start-lock.ts";

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 25;
const STOP_GRACE_SECONDS = 10;
const WATCH_INTERVAL_MS = 1_000;
const MAX_RESTART_DELAY_MS = 30_000;
/** sockaddr_un holds 108 bytes with the closing zero; containerd adds ".ttrpc". */
const MAX_SOCKET_PATH_BYTES = 100;

export interface ContainerdOptions {
  /** Root, state, config and socket go here (containerdPaths). */
  dir: string;
  pidFile: string;
  logFile: string;
}

/** One with its pid file and log in its directory, too: found again by the directory alone. */
export const containerdIn = (dir: string): ContainerdOptions => ({
  dir,
  pidFile: join(dir, "containerd.pid"),
  logFile: join(dir, "containerd.log"),
});

/**
 * Makes sure that a containerd of ours runs with its directories under `dir`; may be repeated.
 * It runs detached: it, and the pods, outlive us.
 * @throws Error if containerd or the CNI plugins are not installed, or it does not answer
 */
export async function ensureContainerd(
  options: ContainerdOptions,
): Promise<{ paths: ContainerdPaths; wasRunning: boolean }> {
  const paths = containerdPaths(options.dir);
  for (const path of [paths.dir, paths.cniConfDir]) mkdirSync(path, { recursive: true, mode: 0o700 });
  return withStartLock(join(options.dir, "starting"), async () => {
    const wasRunning = findDetached(options.pidFile) !== undefined;
    if (!wasRunning) start(options, paths);
    await untilAnswering(options, paths);
    return { paths, wasRunning };
  });
}

function start({ pidFile, logFile }: ContainerdOptions, paths: ContainerdPaths): void {
  const containerd = findProgram("containerd");
  const cniBinDir = findCniBinDir();
  if (!containerd) throw new Error("containerd is not installed");
  if (!cniBinDir) throw new Error("the CNI plugins (bridge, host-local, loopback, portmap) are not installed");
  if (Buffer.byteLength(paths.socket) > MAX_SOCKET_PATH_BYTES) {
    throw new Error(`the path ${paths.socket} is too long for a Unix socket; choose a shorter directory`);
  }
  const facts = { cniBinDir, mayRaisePriority: mayRaisePriority(), usesSystemdCgroup: false };
  writeFileSync(`${paths.configFile}.tmp`, renderContainerdConfig(paths, facts), { mode: 0o600 });
  renameSync(`${paths.configFile}.tmp`, paths.configFile);
  rmSync(paths.socket, { force: true });
  startDetached({
    pidFile,
    logFile,
    file: containerd,
    args: ["--config", paths.configFile],
    env: { PATH: runtimePath(), NOTIFY_SOCKET: undefined },
  });
}

/** Starts containerd again whenever it ends, until the signal is aborted. The pods run on meanwhile. */
export async function keepContainerdRunning(
  options: ContainerdOptions,
  signal: AbortSignal,
  onRestart: (cause: Error | undefined) => void,
): Promise<void> {
  let delayMs = WATCH_INTERVAL_MS;
  while (!signal.aborted) {
    await sleep(delayMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
    if (signal.aborted || findDetached(options.pidFile)) {
      delayMs = WATCH_INTERVAL_MS;
      continue;
    }
    try {
      await ensureContainerd(options);
      onRestart(undefined);
    } catch (cause) {
      delayMs = Math.min(delayMs * 2, MAX_RESTART_DELAY_MS);
      onRestart(cause instanceof Error ? cause : new Error(String(cause)));
    }
  }
}

/** Ends our containerd; containers run on. @returns whether it ran */
export function stopContainerd({ pidFile }: Pick<ContainerdOptions, "pidFile">): Promise<boolean> {
  return stopDetached(pidFile, STOP_GRACE_SECONDS);
}

async function untilAnswering({ pidFile, logFile }: ContainerdOptions, { socket }: ContainerdPaths): Promise<void> {
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(socket))) {
    if (!findDetached(pidFile)) throw new Error(`containerd ended while it started; see ${logFile}`);
    if (Date.now() > deadlineMs) {
      throw new Error(`containerd does not answer after ${START_TIMEOUT_MS / 1000} s; see ${logFile}`);
    }
    await sleep(POLL_MS);
  }
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
