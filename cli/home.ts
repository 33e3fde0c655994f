import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { UserError } from "./errors.ts";

export const DEFAULT_PORT = 6443;
/** The one cluster of an embedded control plane. */
export const CLUSTER = "home";

/** The processes that `up` starts, in the order in which `down` ends them. */
export const PROCESS_NAMES = ["agent", "containerd", "control-plane"] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

/** Where everything of one Hearth lives. Two homes share nothing: sockets, data, pid files, names on the machine. */
export interface Home {
  dir: string;
  /** Six hex digits of the directory's hash: goes into the names of bridges, tables and cgroups of this home's node. */
  instance: string;
  /** Held by who starts or stops its processes. */
  startLock: string;
  /** Durable Object databases. */
  dataDir: string;
  /** Sockets and pid files; emptied by `down`. */
  runDir: string;
  logDir: string;
  rootSecretFile: string;
  configFile: string;
  kubeconfigFile: string;
  caFile: string;
  /** workerd's own socket: only this user may connect to it. */
  workerdSocket: string;
  /** State, root and socket of a containerd that we started. */
  containerdDir: string;
  /** Where each process is found again, and what it says. Those of containerd are where agent/runtime puts them. */
  processes: Record<ProcessName, { pidFile: string; logFile: string }>;
  /** What the agent keeps: its credential, desired state, volumes. */
  agentDir: string;
}

/** `HEARTH_HOME`, or `~/.hearth`, as the kernel names it. Creates nothing. */
export function findHome(env: NodeJS.ProcessEnv = process.env): Home {
  const dir = realPath(resolve(env["HEARTH_HOME"] || join(homedir(), ".hearth")));
  const runDir = join(dir, "run");
  const logDir = join(dir, "logs");
  const containerdDir = join(dir, "containerd");
  const ofProcess = (name: string, inRun = runDir, inLogs = logDir) => ({
    pidFile: join(inRun, `${name}.pid`),
    logFile: join(inLogs, `${name}.log`),
  });
  return {
    dir,
    instance: createHash("sha256").update(dir).digest("hex").slice(0, 6),
    startLock: join(runDir, "starting"),
    dataDir: join(dir, "data"),
    runDir,
    logDir,
    rootSecretFile: join(dir, "root-secret"),
    configFile: join(dir, "config.json"),
    kubeconfigFile: join(dir, "kubeconfig"),
    caFile: join(dir, "ca.crt"),
    workerdSocket: join(runDir, "workerd.sock"),
    containerdDir,
    processes: {
      agent: ofProcess("agent"),
      containerd: ofProcess("containerd", containerdDir, containerdDir),
      "control-plane": ofProcess("control-plane"),
    },
    agentDir: join(dir, "agent"),
  };
}

/** Links on the way are followed: mounts are listed by their real paths, and one home must have one name. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path)); // not made yet
  }
}

/** Everything that `up` makes in a home, whole: what `down --purge` may remove. The mark of a home comes last. */
export const madeByUs = (home: Home): string[] => [
  ...[home.dataDir, home.runDir, home.logDir, home.containerdDir, home.agentDir],
  ...[home.configFile, home.kubeconfigFile, home.caFile, home.rootSecretFile].flatMap((file) => [`${file}.tmp`, file]),
];

/** overlayfs, which containers stand on, takes these for separators of its options. */
const UNUSABLE_IN_PATH = /[:,\\\n]/;

/** A Unix socket's path has 107 bytes at most; the longest below a home is `/containerd/containerd.sock.ttrpc`. */
const MAX_HOME_BYTES = 107 - "/containerd/containerd.sock.ttrpc".length;

/**
 * Makes the directories, closed to other users.
 * @throws UserError if the path is too long for the sockets in it, or is a directory of somebody else's things: a purge of
 *   such a home would have to be feared
 */
export function prepareHome(home: Home): void {
  if (Buffer.byteLength(home.dir) > MAX_HOME_BYTES) {
    throw new UserError(
      `${home.dir} is too long a path: sockets below it would have more than 107 bytes`,
      `set HEARTH_HOME to a directory of at most ${MAX_HOME_BYTES} bytes`,
    );
  }
  if (UNUSABLE_IN_PATH.test(home.dir)) {
    throw new UserError(
      `${JSON.stringify(home.dir)} cannot be a home: containers cannot run below a path with a colon, a comma or a backslash`,
      "set HEARTH_HOME to another directory",
    );
  }
  assertOurs(home);
  for (const dir of [home.dir, home.dataDir, home.runDir, home.logDir]) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  }
  chmodSync(home.runDir, 0o700);
}

/** @throws UserError if the directory is not empty, and no home: what lies in it is not ours to write to, or to remove */
export function assertOurs(home: Home): void {
  const stranger = listStrangers(home)[0];
  if (stranger === undefined || readNames(home.dir).includes(basename(home.rootSecretFile))) return;
  throw new UserError(
    `${home.dir} is not empty, and no home of Hearth's (it holds "${stranger}")`,
    "set HEARTH_HOME to a new or empty directory",
  );
}

/** What is in the home's directory and not of our making. */
export function listStrangers(home: Home): string[] {
  const ours = new Set(madeByUs(home).map((path) => basename(path)));
  return readNames(home.dir).filter((name) => !ours.has(name));
}

function readNames(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
