import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { renderWorkerdConfig } from "./workerd-config.ts";

/** A workerd that dies at once is started again after a pause that doubles from the first to the second of these. */
const MIN_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 10_000;
/** Once it ran this long, the next death counts as the first. */
const STABLE_AFTER_MS = 10_000;
const PROBE_INTERVAL_MS = 10;
const STOP_GRACE_MS = 5000;
const WORKER_FILE = "worker.js";

export interface WorkerdOptions {
  workerBundle: string;
  dataDir: string;
  runDir: string;
  socket: string;
  cluster: string;
  rootSecret: string;
}

/** Keeps one workerd running over a data directory. */
export class Workerd {
  readonly #options: WorkerdOptions;
  #child: ChildProcess | undefined;
  #stopping = false;
  #restartDelayMs = MIN_RESTART_DELAY_MS;

  constructor(options: WorkerdOptions) {
    this.#options = options;
  }

  /** Starts it; resolves once its socket answers. From here on it is started again whenever it dies. */
  async start(): Promise<void> {
    endStrayWorkerd(this.#pidFile);
    // A copy, so that a later build does not change what a restarted workerd runs beside an older front door.
    copyFileSync(this.#options.workerBundle, join(this.#options.runDir, WORKER_FILE));
    this.#spawn();
    await this.#untilAnswering();
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_GRACE_MS);
    await gone;
    clearTimeout(timer);
  }

  get #pidFile(): string {
    return join(this.#options.runDir, "workerd.pid");
  }

  #spawn(): void {
    const { runDir, socket, rootSecret } = this.#options;
    const configFile = join(runDir, "workerd.capnp");
    writeFileSync(configFile, renderWorkerdConfig({ ...this.#options, workerFile: WORKER_FILE }), { mode: 0o600 });
    rmSync(socket, { force: true });
    const startedMs = Date.now();
    const inspector = process.env["HEARTH_INSPECT"];
    const { file, args } = dyingWithParent(findWorkerdBinary(), [
      "serve",
      ...(inspector ? [`--inspector-addr=${inspector}`] : []),
      configFile,
    ]);
    // Only what it needs: the environment of whoever ran `up` is none of the Worker's business.
    const child = spawn(file, args, { stdio: ["ignore", "inherit", "inherit"], env: { ROOT_SECRET: rootSecret } });
    this.#child = child;
    if (child.pid !== undefined) writeFileSync(this.#pidFile, String(child.pid), { mode: 0o600 });
    child.once("error", (error) => console.error("workerd could not be started:", error.message));
    child.once("close", (code, signal) => {
      if (this.#stopping) return;
      if (Date.now() - startedMs > STABLE_AFTER_MS) this.#restartDelayMs = MIN_RESTART_DELAY_MS;
      console.error(`workerd ended (${signal ?? `code ${code}`}); starting it again in ${this.#restartDelayMs} ms`);
      this.#spawnLater();
    });
  }

  #spawnLater(): void {
    setTimeout(() => {
      if (this.#stopping) return;
      try {
        this.#spawn();
      } catch (error) {
        // A full disk, say. The front door goes on saying that it is unavailable, until there is room.
        console.error("workerd could not be started:", error instanceof Error ? error.message : error);
        this.#spawnLater();
      }
    }, this.#restartDelayMs);
    this.#restartDelayMs = Math.min(this.#restartDelayMs * 2, MAX_RESTART_DELAY_MS);
  }

  async #untilAnswering(): Promise<void> {
    while (!(await answers(this.#options.socket))) {
      if (this.#stopping) throw new Error("stopped before it was started");
      await sleep(PROBE_INTERVAL_MS);
    }
  }
}

function findWorkerdBinary(): string {
  return createRequire(import.meta.url).resolve("workerd/bin/workerd");
}

/** Any HTTP answer will do: it shows that the Worker is loaded. */
function answers(socketPath: string): Promise<boolean> {
  if (!existsSync(socketPath)) return Promise.resolve(false);
  return new Promise((resolve) => {
    request({ socketPath, path: "/hearth/v1/", method: "GET", agent: false }, (response) => {
      response.resume();
      resolve(true);
    })
      .once("error", () => resolve(false))
      .end();
  });
}

/**
 * Two workerds must never share a data directory, so the child dies with us even when we are killed. Node.js cannot ask
 * the kernel for that; util-linux's setpriv can. Without it, `endStrayWorkerd` cleans up at the next start.
 */
function dyingWithParent(file: string, args: string[]): { file: string; args: string[] } {
  const setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].find((path) => existsSync(path));
  return setpriv ? { file: setpriv, args: ["--pdeathsig", "KILL", "--", file, ...args] } : { file, args };
}

/** Ends the workerd that an earlier control plane of this home left behind, if it did. */
function endStrayWorkerd(pidFile: string): void {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  const isOurs = (() => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(join(pidFile, "../workerd.capnp"));
    } catch {
      return false;
    }
  })();
  if (isOurs) process.kill(pid, "SIGKILL");
}
