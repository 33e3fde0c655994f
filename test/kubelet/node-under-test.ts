import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Pod } from "../../agent/api/index.ts";
import { removeCgroup } from "../../agent/cgroup/index.ts";
import { systemClock } from "../../agent/clock/index.ts";
import { writeCniConfig } from "../../agent/cni/index.ts";
import { type CriClient, connectRuntime, ignoreNotFound, type Sandbox } from "../../agent/cri/index.ts";
import { importImage } from "../../agent/image/index.ts";
import { createInformer } from "../../agent/informer/index.ts";
import {
  DEFAULT_SETTINGS,
  type Feed,
  type FeedHandler,
  type Kubelet,
  type KubeletSettings,
  type NodeFacts,
  runKubelet,
} from "../../agent/kubelet/index.ts";
import type { Log } from "../../agent/log/index.ts";
import type { Logind } from "../../agent/nodeshutdown/index.ts";
import type { Pinning } from "../../agent/pinning/index.ts";
import { type ContainerdPaths, ensureContainerd, findDetached, stopContainerd } from "../../agent/runtime/index.ts";
import { openState } from "../../agent/state/index.ts";
import type { KubeObject } from "../../shared/api/object.ts";
import { EVENTS, NODES, PODS, SERVICE_ACCOUNTS, SERVICES } from "../../shared/api/refs.ts";
import { decodeStored } from "../../shared/api/stored-object.ts";
import type { ApiClient, ResourceRef, Subresource } from "../../shared/client/api-client.ts";
import { cgroupSettings } from "../builders/kubelet.ts";
import { MemoryApi } from "../builders/memory-api.ts";
import { freeSubnet } from "../harness/free-subnet.ts";
import { waitFor } from "../harness/wait-for.ts";
import { writeTestImages } from "../images/index.ts";

export const NODE_NAME = "test-node";
/** Short, since a Unix socket's path is; and of this test alone. */
const PARENT = "/run";

/** The API in memory, as the agent's transport reaches it: it may be cut off. */
class AgentApi extends MemoryApi {
  isAway = false;
  tokensIssued = 0;
  /** How long tokens live. */
  tokenSeconds = 3_600;

  override async create<T extends KubeObject>(ref: ResourceRef, object: T, subresource?: Subresource): Promise<T> {
    if (ref.resource !== SERVICE_ACCOUNTS.resource || !subresource) return super.create(ref, object, subresource);
    this.tokensIssued += 1;
    const status = {
      token: `token-${this.tokensIssued}`,
      expirationTimestamp: new Date(Date.now() + this.tokenSeconds * 1_000).toISOString(),
    };
    return { ...object, status };
  }

  /** The client of an agent whose connection may be cut. */
  asSeenByAgent(): ApiClient {
    return new Proxy(this as ApiClient, {
      get: (target, method) => {
        const call = Reflect.get(target, method) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          if (this.isAway) throw new Error("tunnel is down");
          return call.apply(target, args);
        };
      },
    });
  }
}

interface Follower {
  ref: ResourceRef;
  handler: FeedHandler;
  wants: (object: KubeObject) => boolean;
}

/** A containerd of its own, a pod network, the test images, and agents to run against an API in memory. */
export class NodeUnderTest {
  readonly dir = mkdtempSync(join(PARENT, "hkt-"));
  readonly bridge = `hkt${this.dir.slice(-6)}`;
  readonly api = new AgentApi();
  readonly logs: string[] = [];
  /** The bridge's address. */
  readonly gateway: string;
  /** Other than the defaults, for agents that are started from now on. */
  settings: Partial<KubeletSettings> = {};
  paths!: ContainerdPaths;
  cri!: CriClient;
  /** For agents that are started from now on. */
  logind: Logind | undefined;
  pinning: Pinning | undefined;
  /** What agents have called of the runtime, in order. */
  readonly criCalls: { method: string; args: unknown[] }[] = [];
  #followers = new Set<Follower>();

  private constructor(gateway: string) {
    this.gateway = gateway;
  }

  static async prepare(): Promise<NodeUnderTest> {
    const subnet = freeSubnet();
    const node = new NodeUnderTest(subnet.replace(/0\/24$/, "1"));
    await node.startRuntime();
    node.cri = connectRuntime({ socketPath: node.paths.socket });
    for (const path of writeTestImages(join(node.dir, "images")).values()) {
      await importImage({ path, socketPath: node.paths.socket, cri: node.cri });
    }
    await writeCniConfig(node.paths.cniConfDir, {
      podCidrs: [subnet],
      bridgeName: node.bridge,
      mtu: 1500,
      instance: node.bridge,
      dataDir: join(node.dir, "leases"),
    });
    node.api.nowMs = () => Date.now();
    node.api.onBatch = ({ resource, changes }) => {
      if (node.api.isAway) return;
      for (const { type, revision, value } of changes) {
        const object = decodeStored(value!, revision);
        for (const follower of node.#followers) {
          if (follower.ref.resource !== resource || !follower.wants(object)) continue;
          // As a watch does it: later, not within the write.
          const tell = type === "DELETED" ? follower.handler.remove : follower.handler.upsert;
          setImmediate(() => tell(structuredClone(object)));
        }
      }
    };
    const allocatable = { cpu: "2", memory: "8Gi", "ephemeral-storage": "100Gi", pods: "110" };
    await node.api.create(NODES, { metadata: { name: NODE_NAME, labels: {} }, spec: {}, status: { allocatable } });
    await node.api.create(SERVICES, {
      metadata: { name: "kubernetes", namespace: "default" },
      spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, protocol: "TCP" }] },
    });
    return node;
  }

  async startRuntime(): Promise<void> {
    mkdirSync(this.dir, { recursive: true });
    const logFile = join(this.dir, "containerd.log");
    this.paths = (await ensureContainerd({ dir: join(this.dir, "c"), pidFile: this.#pidFile, logFile })).paths;
  }

  async stopRuntime(): Promise<void> {
    await stopContainerd({ pidFile: this.#pidFile });
  }

  /** `kill -9`; the containers' shims live on. */
  async killRuntime(): Promise<void> {
    const { pid } = findDetached(this.#pidFile)!;
    process.kill(pid, "SIGKILL");
    await waitFor("containerd to end", () => findDetached(this.#pidFile) === undefined);
  }

  /** What a reboot does: no process, mount or sandbox is left. */
  async forgetEverythingInRuntime(): Promise<void> {
    for (const { id } of await this.cri.listPodSandbox()) {
      // An agent that was just stopped may have been about to remove it.
      await this.cri.stopPodSandbox(id).catch(ignoreNotFound);
      await this.cri.removePodSandbox(id).catch(ignoreNotFound);
    }
    this.#unmountAll(join(this.dir, "agent"));
  }

  #unmountAll(directory: string): void {
    const mounts = readFileSync("/proc/self/mounts", "utf8");
    for (const line of mounts.split("\n").reverse()) {
      const path = line.split(" ")[1];
      if (path?.startsWith(`${directory}/`)) quietly("umount", ["-l", path]);
    }
  }

  /** What lies here runs. */
  get manifests(): string {
    const directory = join(this.dir, "manifests");
    mkdirSync(directory, { recursive: true });
    return directory;
  }

  get #pidFile(): string {
    return join(this.dir, "containerd.pid");
  }

  /** An agent on this node: a second one takes over what the first left. */
  async startKubelet(): Promise<Kubelet> {
    const stateDir = join(this.dir, "agent");
    const facts: NodeFacts = {
      instance: this.bridge,
      nodeName: NODE_NAME,
      hostIps: ["127.0.0.1"],
      memoryBytes: 8 * 2 ** 30,
      cpuMilli: 2000,
      dns: { serverIp: "10.96.0.10", domain: "cluster.local" },
      hostDns: { servers: ["192.0.2.53"], searches: ["lab.example"], options: [] },
      hasAppArmor: false,
      resizePolicies: { swapBehavior: "NoSwap", cpuManagerPolicy: "none", memoryManagerPolicy: "None" },
      cgroups: cgroupSettings({ version: 1, root: [this.bridge] }),
      podLogsRoot: join(this.dir, "logs"),
    };
    const feed: Feed = (...args) => this.#follow(...args);
    const log: Log = (level, message, fields) => this.logs.push(`${level} ${message} ${JSON.stringify(fields)}`);
    const state = await openState({ stateDir });
    const stopping = new AbortController();
    const informing = { feed, memory: state, clock: systemClock, log, signal: stopping.signal };
    const kubelet = await runKubelet({
      api: this.api.asSeenByAgent(),
      feed,
      cri: this.#criOfAgent(),
      state,
      services: await createInformer({ ref: SERVICES, ...informing }),
      stateDir,
      settings: { ...DEFAULT_SETTINGS, staticPodPath: this.manifests, ...this.settings },
      node: facts,
      ...(this.logind && { logind: this.logind }),
      ...(this.pinning && { pinning: this.pinning }),
      log,
    });
    return {
      ...kubelet,
      async stop() {
        stopping.abort();
        await kubelet.stop();
      },
    };
  }

  #criOfAgent(): CriClient {
    return new Proxy(this.cri, {
      get: (target, method) => {
        const call = Reflect.get(target, method) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          this.criCalls.push({ method: String(method), args });
          return call.apply(target, args);
        };
      },
    });
  }

  /** The API can be reached again: every feed lists anew. */
  reconnect(): void {
    this.api.isAway = false;
    for (const follower of this.#followers) this.#list(follower);
  }

  #follow(...[ref, { namespace, fieldSelector = "" }, handler, signal]: Parameters<Feed>): void {
    const name = /^metadata\.name=(.*)$/.exec(fieldSelector)?.[1];
    const wants = ({ metadata }: KubeObject) =>
      (!namespace || metadata.namespace === namespace) && (name === undefined || metadata.name === name);
    const follower: Follower = { ref, handler, wants };
    this.#followers.add(follower);
    signal.addEventListener("abort", () => this.#followers.delete(follower));
    if (!this.api.isAway) this.#list(follower);
  }

  #list({ ref, handler, wants }: Follower): void {
    setImmediate(() => handler.replace(structuredClone(this.api.all(ref).filter(wants))));
  }

  /** Creates a pod that is bound to this node, with the defaults that the API server would write. */
  async run(name: string, spec: Partial<Pod["spec"]>, metadata: Partial<Pod["metadata"]> = {}): Promise<Pod> {
    const defaults = {
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      serviceAccountName: "default",
      enableServiceLinks: true,
      securityContext: {},
      nodeName: NODE_NAME,
    };
    const withDefaults = (containers: Partial<Pod["spec"]["containers"][number]>[] | undefined) =>
      containers?.map((container) => ({
        imagePullPolicy: "IfNotPresent",
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        resources: {},
        ...container,
      }));
    return this.api.create<Pod>(PODS, {
      metadata: { name, namespace: "default", ...metadata } as Pod["metadata"],
      spec: {
        ...defaults,
        ...spec,
        containers: withDefaults(spec.containers),
        ...(spec.initContainers && { initContainers: withDefaults(spec.initContainers) }),
      } as Pod["spec"],
      status: { phase: "Pending", qosClass: "BestEffort" } as Pod["status"],
    });
  }

  mirrorOf(name: string): Pod | undefined {
    return this.pod(`${name}-${NODE_NAME}`);
  }

  pod(name: string): Pod | undefined {
    return this.api.find<Pod>(PODS, `default/${name}`);
  }

  async ready(name: string): Promise<void> {
    const isReady = () =>
      this.pod(name)?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    await waitFor(`${name} to be ready`, isReady, { timeoutMs: 60_000 }).catch((error: Error) => {
      const seen = [JSON.stringify(this.pod(name)?.status, null, 1), ...this.events(name), ...this.logs.slice(-20)];
      throw new Error(`${error.message}\n${seen.join("\n")}`);
    });
  }

  /** As `kubectl delete`: the grace period is written into the record, and the agent does the rest. */
  async delete(name: string, graceSeconds = 30): Promise<void> {
    const deletionTimestamp = new Date(Date.now() + graceSeconds * 1000).toISOString();
    await this.api.patch(PODS, { name, namespace: "default" }, "merge", {
      metadata: { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds },
    });
  }

  async sandboxesOf(name: string): Promise<Sandbox[]> {
    return this.cri.listPodSandbox({ labelSelector: { "io.kubernetes.pod.name": name } });
  }

  /** @param container the first one by its name unless given */
  containerIdOf(pod: string, container?: string): string {
    const statuses = this.pod(pod)!.status!.containerStatuses!;
    return (statuses.find(({ name }) => name === container) ?? statuses[0]!).containerID!.replace("containerd://", "");
  }

  async killContainer(pod: string): Promise<void> {
    process.kill(await this.#pidOf((await this.cri.containerStatus(this.containerIdOf(pod), true)).info), "SIGKILL");
  }

  async killSandbox(id: string): Promise<void> {
    process.kill(await this.#pidOf((await this.cri.podSandboxStatus(id, true)).info), "SIGKILL");
  }

  async #pidOf(info: Record<string, string>): Promise<number> {
    return (JSON.parse(info["info"]!) as { pid: number }).pid;
  }

  /** The kernel's names of the namespaces of a pod's pause process and of its first container. */
  async namespacesOf(name: string): Promise<Record<string, string>[]> {
    const [sandbox] = await this.sandboxesOf(name);
    const pids = [
      await this.#pidOf((await this.cri.podSandboxStatus(sandbox!.id, true)).info),
      await this.#pidOf((await this.cri.containerStatus(this.containerIdOf(name), true)).info),
    ];
    const kinds = ["net", "ipc", "uts", "pid", "mnt"];
    return pids.map((pid) => Object.fromEntries(kinds.map((kind) => [kind, readlinkSync(`/proc/${pid}/ns/${kind}`)])));
  }

  /** `Reason message` of a pod's events, in the order in which they were sent. */
  events(name: string): string[] {
    return this.api
      .all(EVENTS)
      .filter((event) => (event["involvedObject"] as { name: string }).name === name)
      .map((event) => `${event["reason"]} ${event["message"]}`);
  }

  async exec(pod: string, command: string, container?: string): Promise<string> {
    const { stdout, stderr, exitCode } = await this.cri.execSync(
      this.containerIdOf(pod, container),
      ["sh", "-c", command],
      10,
    );
    if (exitCode !== 0) throw new Error(`exit ${exitCode}: ${stderr}`);
    return stdout.toString();
  }

  /** Ends and removes everything that was made on the machine. */
  async remove(): Promise<void> {
    await this.forgetEverythingInRuntime();
    this.cri.close();
    await this.stopRuntime();
    await removeCgroup(`/${this.bridge}`);
    quietly("ip", ["link", "delete", this.bridge]);
    this.#unmountAll(this.dir);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function quietly(file: string, args: string[]): void {
  try {
    execFileSync(file, args, { stdio: "pipe" });
  } catch {
    // It was not there.
  }
}
