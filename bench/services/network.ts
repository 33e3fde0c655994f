import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Caller } from "../../test/network/caller/index.ts";
import { SERVERS, TARGET_PORT } from "./objects.ts";

const run = promisify(execFile);
/** What has no rule is sent there, and lost. */
const GATEWAY = "10.244.0.254";

/** A node's network without pods: a namespace in which servers answer on addresses of their own. */
export class BenchNetwork {
  readonly netns: string;
  readonly client: Caller;
  readonly #servers: Caller[];

  private constructor(netns: string) {
    this.netns = netns;
    this.client = new Caller("client", this.file);
    this.#servers = Object.keys(SERVERS).map((name) => new Caller(name, this.file));
  }

  static async build(name: string): Promise<BenchNetwork> {
    const netns = `hearth-bench-${name}`;
    const ip = (command: string) => run("ip", command.split(" "));
    await ip(`netns add ${netns}`);
    const network = new BenchNetwork(netns);
    await ip(`-n ${netns} link set lo up`);
    await ip(`-n ${netns} link add eth0 type veth peer name wire`);
    await ip(`-n ${netns} addr add 10.244.0.1/24 dev eth0`);
    for (const link of ["eth0", "wire"]) await ip(`-n ${netns} link set ${link} up`);
    await ip(`-n ${netns} route add default via ${GATEWAY}`);
    for (const [index, addresses] of Object.values(SERVERS).entries()) {
      for (const address of addresses) {
        await ip(`-n ${netns} addr add ${address}/32 dev lo`);
        await network.#servers[index]!.listen({ address, port: TARGET_PORT });
      }
    }
    return network;
  }

  get file(): string {
    return `/run/netns/${this.netns}`;
  }

  async remove(): Promise<void> {
    await Promise.all([this.client, ...this.#servers].map((caller) => caller.end()));
    await run("ip", ["netns", "delete", this.netns]);
  }
}
