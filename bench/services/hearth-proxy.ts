import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { MeasuredProxy } from "./measured-proxy.ts";
import type { BenchNetwork } from "./network.ts";
import type { SERVERS } from "./objects.ts";
import { residentBytes } from "./resident.ts";

const PROCESS = join(import.meta.dirname, "hearth-process.ts");

/** The agent's service proxy alone, in a process of its own in the network, fed with objects as its informers would. */
export class HearthProxy implements MeasuredProxy {
  readonly #child: ChildProcessWithoutNullStreams;

  constructor(network: BenchNetwork, count: number) {
    this.#child = spawn("nsenter", [`--net=${network.file}`, "--", process.execPath, PROCESS, String(count)]);
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
    if (this.#child.exitCode !== null) return;
    this.#child.stdin.end();
    await once(this.#child, "exit");
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
