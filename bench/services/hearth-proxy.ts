import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { agentEnvironment, NODE_FLAGS } from "../../agent/runtime/index.ts";
import type { MeasuredProxy } from "./measured-proxy.ts";
import type { BenchNetwork } from "./network.ts";
import type { SERVERS } from "./objects.ts";
import { residentBytes } from "./resident.ts";

const PROCESS = join(import.meta.dirname, "hearth-process.ts");

/** The agent's service proxy alone, in a process of its own in the network that is started as an agent is, and fed with objects. */
export class HearthProxy implements MeasuredProxy {
  readonly #child: ChildProcessWithoutNullStreams;

  readonly #dir = mkdtempSync(join(tmpdir(), "hearth-bench-agent-"));

  constructor(network: BenchNetwork, count: number) {
    const env = { ...process.env, ...agentEnvironment(this.#dir) };
    const command = [...NODE_FLAGS, PROCESS, String(count)];
    // It ends with its input, here at once, and leaves the code that was made of ours.
    spawnSync(process.execPath, command, { stdio: "ignore", env });
    this.#child = spawn("nsenter", [`--net=${network.file}`, "--", process.execPath, ...command], { env });
    createInterface({ input: this.#child.stderr }).on("line", (line) => {
      if (process.env["BENCH_TRACE"]) console.error(line);
    });
    this.#child.stdout.setEncoding("utf8");
  }

  /** Its process started before, which is no part of the proxy: an agent runs many things. */
  async start(): Promise<void> {
    await this.#send("start");
  }

  async change(index: number, lead: keyof typeof SERVERS): Promise<void> {
    await this.#send(`change ${index} ${lead}`);
  }

  /** What the process has: Node.js and the agent's code as well. */
  residentBytes(): Promise<number> {
    return Promise.resolve(residentBytes(this.#child.pid!));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.stdin.end();
      await once(this.#child, "exit");
    }
    rmSync(this.#dir, { recursive: true });
  }

  async ready(): Promise<number> {
    await this.#send("ready");
    return this.residentBytes();
  }

  async #send(line: string): Promise<void> {
    const ended = new AbortController();
    const told = once(this.#child.stdout, "data", { signal: ended.signal });
    const end = () => ended.abort(new Error("the proxy's process ended"));
    this.#child.once("exit", end);
    this.#child.stdin.write(`${line}\n`);
    await told.finally(() => this.#child.off("exit", end));
  }
}
