import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const HEARTH = join(import.meta.dirname, "../../hearth");

/** A Hearth of a test's own, in a directory that is gone afterwards. */
export class OwnCluster {
  readonly home: string;
  readonly port: number;
  readonly kubeconfigFile: string;

  private constructor(home: string, port: number) {
    this.home = home;
    this.port = port;
    this.kubeconfigFile = join(home, "kubeconfig");
  }

  /** @param home a directory of its own unless one is given */
  static async prepare(home = mkdtempSync(join(tmpdir(), "hearth-test-"))): Promise<OwnCluster> {
    return new OwnCluster(home, await freePort());
  }

  /** @returns what `hearth` printed */
  async hearth(...args: string[]): Promise<string> {
    const { stdout } = await run(HEARTH, args, { env: { ...process.env, HEARTH_HOME: this.home }, timeout: 300_000 });
    return stdout;
  }

  up(...options: string[]): Promise<string> {
    return this.hearth("up", "--port", String(this.port), ...options);
  }

  /** A new token for `agent join`. */
  async joinToken(...options: string[]): Promise<string> {
    return (await this.hearth("token", "create", ...options)).trim().split("\n").at(-1)!;
  }

  /** The process that keeps the front door running, and that one workerd: killed, it takes both along. */
  controlPlanePid(): number {
    return this.pidOf("control-plane");
  }

  /** Of something that `up` started: `control-plane`, `agent`, `containerd`. */
  pidOf(what: string): number {
    const dir = what === "containerd" ? "containerd" : "run";
    return Number.parseInt(readFileSync(join(this.home, dir, `${what}.pid`), "utf8"), 10);
  }

  async remove(): Promise<void> {
    await this.hearth("down", "--purge");
    rmSync(this.home, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
