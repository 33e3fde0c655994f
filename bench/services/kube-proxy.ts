/** The other one, measured alongside when it is there: upstream's proxy in its nftables mode, with a cluster's real API. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Agent } from "undici";
import { parse } from "yaml";
import type { EndpointSlice, Service } from "../../shared/api/types.ts";
import type { MeasuredProxy } from "./measured-proxy.ts";
import type { BenchNetwork } from "./network.ts";
import { benchService, benchSlice, NAMESPACE, NODE_NAME, type SERVERS } from "./objects.ts";
import { residentBytes } from "./resident.ts";

const AT_ONCE = 24;
const NAMESPACE_TIMEOUT_MS = 60_000;
const SERVICES = `/api/v1/namespaces/${NAMESPACE}/services`;
const SLICES = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`;

interface Kubeconfig {
  clusters: { cluster: { server: string } }[];
  users: { user: { token: string } }[];
}

/** A cluster's API, as its administrator; it must have no namespace of the benchmark's name. */
export class ClusterApi {
  readonly server: URL;
  readonly token: string;
  readonly #agent = new Agent({ connect: { rejectUnauthorized: false }, connections: AT_ONCE });

  /** @throws Error when the file is no kubeconfig with a token */
  constructor(kubeconfigFile: string) {
    const { clusters, users } = parse(readFileSync(kubeconfigFile, "utf8")) as Kubeconfig;
    this.server = new URL(clusters[0]!.cluster.server);
    this.token = users[0]!.user.token;
  }

  async send<T>(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object): Promise<T> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await this.#agent.request({
      origin: this.server.origin,
      path,
      method,
      headers: { authorization: `Bearer ${this.token}`, "content-type": type },
      body: body && JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300 && method !== "DELETE") throw new Error(`${method} ${path}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  }

  /** @returns the Services with their addresses */
  async create(count: number): Promise<Service[]> {
    await this.send("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
    await this.send("POST", "/api/v1/nodes", { metadata: { name: NODE_NAME } });
    const address = { type: "InternalIP", address: "10.244.0.1" };
    await this.send("PATCH", `/api/v1/nodes/${NODE_NAME}/status`, { status: { addresses: [address] } });
    const made: Service[] = [];
    let next = 0;
    const one = async () => {
      for (let index = next++; index < count; index = next++) {
        made[index] = await this.send<Service>("POST", SERVICES, benchService(index));
        await this.send("POST", SLICES, benchSlice(index));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    return made;
  }

  change(index: number, lead: keyof typeof SERVERS): Promise<EndpointSlice> {
    const { endpoints } = benchSlice(index, lead);
    return this.send("PATCH", `${SLICES}/service-${index}-by-hand`, { endpoints });
  }

  async clear(): Promise<void> {
    await this.send("DELETE", `/api/v1/nodes/${NODE_NAME}`);
    const { items } = await this.send<{ items?: Service[] }>("GET", SERVICES);
    const names = (items ?? []).map(({ metadata }) => metadata.name);
    await this.send("DELETE", SLICES);
    const one = async () => {
      for (let name = names.pop(); name; name = names.pop()) await this.send("DELETE", `${SERVICES}/${name}`);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    await this.send("DELETE", `/api/v1/namespaces/${NAMESPACE}`);
    // A cluster's controllers take the rest away; one without them keeps the empty namespace.
    const deadlineMs = Date.now() + NAMESPACE_TIMEOUT_MS;
    while (Date.now() < deadlineMs) {
      const isGone = await this.send("GET", `/api/v1/namespaces/${NAMESPACE}`).then(
        () => false,
        () => true,
      );
      if (isGone) break;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    await this.#agent.destroy();
  }
}

/** Starts kube-proxy in the network, as one that has been there for a while would after a restart: all is there at once. */
export class KubeProxy implements MeasuredProxy {
  readonly #program: string;
  readonly #api: ClusterApi;
  readonly #network: BenchNetwork;
  readonly #dir = mkdtempSync(join(tmpdir(), "hearth-bench-proxy-"));
  readonly #children: ChildProcess[] = [];
  /** What it says its syncs took, in ms. */
  readonly syncsMs: number[] = [];
  #pid = 0;

  constructor(options: { program: string; api: ClusterApi; network: BenchNetwork }) {
    this.#program = options.program;
    this.#api = options.api;
    this.#network = options.network;
  }

  async start(): Promise<void> {
    const socket = join(this.#dir, "api.sock");
    this.#spawn("socat", [`UNIX-LISTEN:${socket},fork`, `TCP:${this.#api.server.host}`]);
    this.#spawn("nsenter", [
      ...[`--net=${this.#network.file}`, "--", "socat"],
      ...[`TCP-LISTEN:${this.#api.server.port},fork,reuseaddr,bind=127.0.0.1`, `UNIX-CONNECT:${socket}`],
    ]);
    const kubeconfig = join(this.#dir, "kubeconfig");
    const server = `https://127.0.0.1:${this.#api.server.port}`;
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
        users: [{ name: "u", user: { token: this.#api.token } }],
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
        "current-context": "c",
      }),
    );
    const child = this.#spawn("nsenter", [
      ...[`--net=${this.#network.file}`, "--", this.#program, "--proxy-mode=nftables", `--kubeconfig=${kubeconfig}`],
      ...[`--hostname-override=${NODE_NAME}`, "--cluster-cidr=10.244.0.0/16", "--v=2", "--conntrack-max-per-core=0"],
      ...["--conntrack-tcp-timeout-established=0", "--conntrack-tcp-timeout-close-wait=0"],
    ]);
    this.#pid = child.pid!;
    createInterface({ input: child.stderr! }).on("line", (line) => {
      const [, elapsed] = /"SyncProxyRules complete".* elapsed="([^"]+)"/.exec(line) ?? [];
      if (elapsed) this.syncsMs.push(milliseconds(elapsed));
      if (process.env["BENCH_TRACE"]) console.error(line);
    });
  }

  async change(index: number, lead: keyof typeof SERVERS): Promise<void> {
    await this.#api.change(index, lead);
  }

  residentBytes(): Promise<number> {
    return Promise.resolve(residentBytes(this.#pid));
  }

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null) continue;
      child.kill();
      await once(child, "exit");
    }
    rmSync(this.#dir, { recursive: true });
  }

  #spawn(program: string, args: string[]): ChildProcess {
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.resume();
    this.#children.push(child);
    return child;
  }
}

/** Go's durations: `1.234s`, `56.7ms`, `1m2.3s`. */
export function milliseconds(duration: string): number {
  const UNITS: Record<string, number> = {
    h: 3_600_000,
    m: 60_000,
    s: 1_000,
    ms: 1,
    µs: 0.001,
    us: 0.001,
    ns: 0.000_001,
  };
  let total = 0;
  for (const [, number, unit] of duration.matchAll(/([\d.]+)(h|ms|µs|us|ns|m|s)/g))
    total += Number(number) * UNITS[unit!]!;
  return total;
}
