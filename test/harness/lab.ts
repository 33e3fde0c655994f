import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freeSubnet } from "./free-subnet.ts";
import type { OwnCluster } from "./own-cluster.ts";
import { waitFor } from "./wait-for.ts";

const run = promisify(execFile);
const HEARTH = join(import.meta.dirname, "../../hearth");
const RUNTIME = join(import.meta.dirname, "lab-runtime.ts");

/**
 * A home lab on this machine: each node is a network namespace with a containerd of its own, and they see the control
 * plane, and each other, over a bridge. That is in a namespace, too: where bridges' packets are filtered
 * (bridge-nf-call-iptables), this machine's own rules, another node's say, would change what nodes send each other.
 */
export class Lab {
  readonly #cluster: OwnCluster;
  /** Tells the labs of one machine apart: in names of bridges and namespaces. */
  readonly #name: string;
  /** The first three bytes of the IPv4 addresses of its LAN. */
  readonly #prefix: string;
  #otherPrefix: string | undefined;
  readonly nodes: LabNode[] = [];

  private constructor(cluster: OwnCluster, name: string, prefix: string) {
    this.#cluster = cluster;
    this.#name = name;
    this.#prefix = prefix;
  }

  static async build(cluster: OwnCluster): Promise<Lab> {
    const prefix = freeSubnet().replace(/\.0\/24$/, "");
    const lab = new Lab(cluster, prefix.split(".")[2]!, prefix);
    await ip(`netns add ${lab.#switch}`);
    await lab.#addLan(lab.bridge, prefix);
    return lab;
  }

  /** The namespace of the bridges. */
  get #switch(): string {
    return `${this.bridge}lan`;
  }

  /** A bridge, and this machine's way to it, by which it is the bridge's router. */
  async #addLan(bridge: string, prefix: string): Promise<void> {
    const uplink = `${bridge}u`;
    await ip(`-n ${this.#switch} link add ${bridge} type bridge`);
    await ip(`-n ${this.#switch} link set ${bridge} up`);
    await ip(`link add ${bridge} type veth peer name ${uplink} netns ${this.#switch}`);
    await ip(`-n ${this.#switch} link set ${uplink} master ${bridge} up`);
    await ip(`addr add ${prefix}.1/24 dev ${bridge}`);
    await ip(`addr add ${ipv6Of(`${prefix}.1`)}/64 dev ${bridge} nodad`);
    await ip(`link set ${bridge} up`);
  }

  /**
   * Gives a network namespace an eth0 on the nodes' LAN, with an IPv6 address beside (`ipv6Of`).
   * @param port the other end's name; 15 characters
   */
  async plug(netns: string, { port, address }: { port: string; address: string }): Promise<void> {
    await ip(`-n ${this.#switch} link add ${port} type veth peer name eth0 netns ${netns}`);
    await ip(`-n ${this.#switch} link set ${port} master ${this.bridge} up`);
    await addAddresses(netns, address);
    await ip(`-n ${netns} link set eth0 up`);
  }

  /** A second LAN behind this machine, which is the router between the two. */
  get #otherBridge(): string {
    return `${this.bridge}b`;
  }

  /** Puts a node into another LAN, with another address. @returns its address there */
  async moveToOtherLan(node: LabNode): Promise<string> {
    if (!this.#otherPrefix) {
      this.#otherPrefix = freeSubnet().replace(/\.0\/24$/, "");
      await this.#addLan(this.#otherBridge, this.#otherPrefix);
    }
    const address = `${this.#otherPrefix}.11`;
    await this.#move(node, { bridge: this.#otherBridge, address, router: `${this.#otherPrefix}.1` });
    return address;
  }

  moveBack(node: LabNode): Promise<void> {
    return this.#move(node, { bridge: this.bridge, address: node.address, router: `${this.#prefix}.1` });
  }

  async #move(node: LabNode, to: { bridge: string; address: string; router: string }): Promise<void> {
    await ip(`-n ${node.netns} addr flush dev eth0 scope global`);
    await ip(`-n ${this.#switch} link set hl-${node.instance} master ${to.bridge}`);
    await addAddresses(node.netns, to.address);
    await addRoutes(node.netns, to.router);
  }

  /** What the switch lets through no more: rules of a chain that accepts the rest. In the place of those before. */
  async filter(rules: readonly string[]): Promise<void> {
    const table = "table bridge filter";
    const chain = `chain forward {\ntype filter hook forward priority 0; policy accept;\n${rules.join("\n")}\n}`;
    const text = `${table} {}\ndelete ${table}\n${rules.length > 0 ? `${table} {\n${chain}\n}\n` : ""}`;
    const running = run("ip", ["netns", "exec", this.#switch, "nft", "-f", "-"]);
    running.child.stdin?.end(text);
    await running;
  }

  get bridge(): string {
    return `hl-${this.#name}`;
  }

  /** This machine's address on the nodes' LAN. */
  get hostAddress(): string {
    return `${this.#prefix}.1`;
  }

  /** The address under which the nodes reach this machine. */
  get endpoint(): string {
    return `https://${this.hostAddress}:${this.#cluster.port}`;
  }

  /** A new machine on the bridge, its runtime started and the images imported; it has not joined. */
  async addMachine(name: string, images: Iterable<string>): Promise<LabNode> {
    const node = new LabNode(
      name,
      `${this.#name}n${this.nodes.length + 1}`,
      `${this.#prefix}.${this.nodes.length + 11}`,
    );
    this.nodes.push(node);
    await ip(`netns add ${node.netns}`);
    await this.plug(node.netns, { port: `hl-${node.instance}`, address: node.address });
    await ip(`-n ${node.netns} link set lo up`);
    await addRoutes(node.netns, `${this.#prefix}.1`);
    await node.execute(process.execPath, [RUNTIME, "start", node.dir]);
    for (const image of images) {
      await node.execute("ctr", ["-a", node.runtimeSocket, "-n", "k8s.io", "images", "import", image]);
    }
    return node;
  }

  async join(node: LabNode): Promise<void> {
    await node.join(await this.#cluster.joinToken("--endpoint", this.endpoint));
    await node.startAgent();
  }

  async remove(): Promise<void> {
    for (const node of this.nodes) {
      await node.stopAgent();
      await node.execute(process.execPath, [RUNTIME, "purge", node.dir, node.instance]);
      await ip(`netns delete ${node.netns}`);
      rmSync(node.dir, { recursive: true, force: true });
    }
    await ip(`netns delete ${this.#switch}`);
  }
}

export class LabNode {
  readonly name: string;
  readonly address: string;
  readonly netns: string;
  readonly instance: string;
  readonly dir: string;

  constructor(name: string, instance: string, address: string) {
    this.name = name;
    this.address = address;
    this.netns = `hl-${instance}`;
    this.instance = instance;
    this.dir = mkdtempSync(join(tmpdir(), "hl-"));
  }

  get runtimeSocket(): string {
    return join(this.dir, "containerd/containerd.sock");
  }

  get stateDir(): string {
    return join(this.dir, "agent");
  }

  /** Runs a program in the node's network. @throws Error with its output when it fails */
  async execute(file: string, args: string[]): Promise<string> {
    const { stdout } = await run("nsenter", [`--net=/run/netns/${this.netns}`, "--", file, ...args], {
      timeout: 300_000,
    });
    return stdout;
  }

  async join(token: string): Promise<void> {
    await this.execute(HEARTH, [
      ...["agent", "join", token, "--node-name", this.name, "--state-dir", this.stateDir, "--no-service"],
      ...["--runtime-endpoint", `unix://${this.runtimeSocket}`, "--cni-config-dir", join(this.dir, "containerd/net.d")],
      ...["--instance", this.instance],
    ]);
  }

  async startAgent(): Promise<void> {
    await this.execute(HEARTH, ["agent", "run", "--state-dir", this.stateDir, "--detach"]);
  }

  /** Takes the node off its machine. @returns what it printed */
  uninstall(): Promise<string> {
    return this.execute(HEARTH, ["agent", "uninstall", "--state-dir", this.stateDir, "--yes"]);
  }

  /** Harmless when it does not run. The pods run on. */
  async stopAgent(): Promise<void> {
    const pid = this.#agentPid();
    if (pid === undefined) return;
    process.kill(pid, "SIGTERM");
    await waitFor(`the agent of ${this.name} to end`, () => !isAlive(pid));
  }

  #agentPid(): number | undefined {
    try {
      const pid = Number.parseInt(readFileSync(join(this.stateDir, "agent.pid"), "utf8"), 10);
      return isAlive(pid) ? pid : undefined;
    } catch {
      return undefined; // it never ran
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** What a machine of the lab has beside an IPv4 address: of 10.199.7.11 it is fd00:c7:7::b. */
export function ipv6Of(address: string): string {
  const [, lab = 0, lan = 0, host = 0] = address.split(".").map((part) => Number(part).toString(16));
  return `fd00:${lab}:${lan}::${host}`;
}

async function addAddresses(netns: string, address: string): Promise<void> {
  await ip(`-n ${netns} addr add ${address}/24 dev eth0`);
  await ip(`-n ${netns} addr add ${ipv6Of(address)}/64 dev eth0 nodad`);
}

async function addRoutes(netns: string, router: string): Promise<void> {
  // IPv6's outlives the addresses.
  for (const via of [router, ipv6Of(router)]) await ip(`-n ${netns} route replace default via ${via}`);
}

const ip = (command: string) => run("ip", command.split(" "));
