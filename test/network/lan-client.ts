import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ipv6Of, type Lab } from "../harness/lab.ts";

const run = promisify(execFile);

/** A machine on the nodes' LAN that is no node: a network namespace on their bridge. */
export class LanClient {
  readonly address: string;
  readonly address6: string;
  readonly #netns: string;

  private constructor(address: string, netns: string) {
    this.address = address;
    this.address6 = ipv6Of(address);
    this.#netns = netns;
  }

  /** @param address of the lab's /24 */
  static async build(lab: Lab, address: string): Promise<LanClient> {
    const netns = `${lab.bridge}-c${address.split(".")[3]}`;
    await ip(`netns add ${netns}`);
    await lab.plug(netns, { port: `${lab.bridge}c${address.split(".")[3]}`, address });
    return new LanClient(address, netns);
  }

  /** What a shell command prints on that machine. @throws Error with its output when it fails */
  async execute(command: string): Promise<string> {
    const { stdout } = await run("ip", ["netns", "exec", this.#netns, "sh", "-c", command], { timeout: 20_000 });
    return stdout;
  }

  async remove(): Promise<void> {
    await ip(`netns delete ${this.#netns}`);
  }
}

const ip = (command: string) => run("ip", command.split(" "));
