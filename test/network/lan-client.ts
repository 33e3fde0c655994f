import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A machine on the nodes' LAN that is no node: a network namespace on their bridge. */
export class LanClient {
  readonly address: string;
  readonly #netns: string;

  private constructor(address: string, netns: string) {
    this.address = address;
    this.#netns = netns;
  }

  /** @param address of the bridge's /24 */
  static async build(bridge: string, address: string): Promise<LanClient> {
    const netns = `${bridge}-c${address.split(".")[3]}`;
    const port = `${bridge}c${address.split(".")[3]}`.slice(0, 15);
    await ip(`netns add ${netns}`);
    await ip(`link add ${port} type veth peer name eth0 netns ${netns}`);
    await ip(`link set ${port} master ${bridge} up`);
    await ip(`-n ${netns} addr add ${address}/24 dev eth0`);
    await ip(`-n ${netns} link set eth0 up`);
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
