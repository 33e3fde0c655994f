import { createHash } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
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

/** `HEARTH_HOME`, or `~/.hearth`. Creates nothing. */
export function findHome(env: NodeJS.ProcessEnv = process.env): Home {
  const dir = resolve(env["HEARTH_HOME"] || join(homedir(), ".hearth"));
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

/** A Unix socket's path has 107 bytes at most; the longest below a home is `/containerd/containerd.sock.ttrpc`. */
const MAX_HOME_BYTES = 107 - "/containerd/containerd.sock.ttrpc".length;

/** Makes the directories, closed to other users. @throws UserError if the path is too long for the sockets in it */
export function prepareHome(home: Home): void {
  if (Buffer.byteLength(home.dir) > MAX_HOME_BYTES) {
    throw new UserError(
      `${home.dir} is too long a path: sockets below it would have more than 107 bytes`,
      `set HEARTH_HOME to a directory of at most ${MAX_HOME_BYTES} bytes`,
    );
  }
  for (const dir of [home.dir, home.dataDir, home.runDir, home.logDir]) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  }
  chmodSync(home.runDir, 0o700);
}
