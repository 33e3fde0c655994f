import type { KubeObject } from "../../shared/api/object.ts";
import { NODES } from "../../shared/api/refs.ts";
import { isAlreadyExists } from "../../shared/api/status.ts";
import type { Node, NodeStatus } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { type Clock, createWake } from "../clock/index.ts";
import type { CriClient, Image, RuntimeVersion } from "../cri/index.ts";
import type { Feed } from "../kubelet/index.ts";
import type { Log } from "../log/index.ts";
import {
  CGROUP_V1_MESSAGE,
  changeReasons,
  decideConditions,
  type PressureType,
  type RuntimeHealth,
} from "./conditions.ts";
import { type NodeEvent, sendNodeEvent } from "./events.ts";
import { ensureLease } from "./lease.ts";
import { type MachineFacts, readMachine } from "./machine.ts";
import { type NodeInputs, renderLabels, renderNode, renderStatus } from "./node-object.ts";
import { readRoutes } from "./routes.ts";
import { decideStatusPatch } from "./status-patch.ts";

/** The kubelet's nodeStatusUpdateFrequency: how often the node looks at itself. */
const CHECK_MS = 10_000;
/** The same until it was Ready once: a new node should not wait for its first ten seconds. */
const FIRST_CHECK_MS = 500;
const RUNTIME_TIMEOUT_MS = 10_000;

export interface RegistrationOptions {
  api: ApiClient;
  feed: Feed;
  cri: CriClient;
  log: Log;
  clock: Clock;
  nodeName: string;
  kubeletVersion: string;
  /** A path on the disk that pods write to. */
  disk: string;
  /** What of the machine pods may not have: for the system, for the node's own daemons, and to evict in time. */
  reserved(machine: MachineFacts): Record<string, string>[];
  /** What the node is short of. */
  pressures(): ReadonlySet<PressureType>;
  /** When the kubelet last had the list of all that runs (epoch ms). */
  relistedMs(): number | undefined;
  /** Whether the machine is about to go down. */
  isShuttingDown(): boolean;
  /** Handed what has the status reported at once. */
  onStart(reportNow: () => void): void;
  /** The node's, as they are now; the primary one first. */
  addresses(): string[];
  /** The bridge of this node's pods. */
  ownInterface: string;
  /** Told of the node's pod network, at first and when it changes. */
  onPodCidrs(podCidrs: string[]): void;
  signal: AbortSignal;
}

/**
 * Registers this machine as a Node and keeps its status and Lease right until the signal is aborted. A Node that somebody
 * deletes stays deleted until the agent starts again, as with a kubelet.
 */
export async function runRegistration(options: RegistrationOptions): Promise<void> {
  const registration = new Registration(options);
  await registration.run();
}

class Registration {
  readonly #options: RegistrationOptions;
  /** As the API has it; undefined before it was told, null when it is not there. */
  #node: Node | null | undefined;
  #created = false;
  #hasLease = false;
  #wasReady = false;
  #reportedMs = 0;
  #podCidrs = "";
  #health: RuntimeHealth = {};
  #runtime: RuntimeVersion | undefined;
  #images: Image[] = [];
  #abilities: NodeInputs["abilities"] = { runtimeHandlers: [], features: null };
  readonly #wake = createWake();

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { feed, nodeName, signal, clock, log } = this.#options;
    this.#options.onStart(() => this.#wake.notify());
    const told = (node: KubeObject | null) => {
      this.#node = node as Node | null;
      this.#wake.notify();
    };
    const selection = { fieldSelector: `metadata.name=${nodeName}` };
    feed(NODES, selection, { replace: ([node]) => told(node ?? null), upsert: told, remove: () => told(null) }, signal);
    while (!signal.aborted) {
      const startedMs = clock.nowMs();
      try {
        await this.#sync();
      } catch (error) {
        log("warn", "the node's status could not be reported", { error: String(error) });
      }
      // Woken by a change of the Node, yet not in a tight circle with our own.
      const leastMs = this.#wasReady ? 1000 : FIRST_CHECK_MS;
      await clock.sleep(Math.max(0, startedMs + leastMs - clock.nowMs()), signal);
      await this.#wake.wait((this.#wasReady ? CHECK_MS : FIRST_CHECK_MS) - leastMs, clock, signal);
    }
  }

  async #sync(): Promise<void> {
    await this.#lookAtRuntime();
    if (this.#node === undefined || (this.#node === null && this.#created)) return;
    const { api, clock, nodeName, kubeletVersion, disk, ownInterface, reserved, pressures, log } = this.#options;
    const machine = await readMachine(disk);
    const known = this.#node?.status ?? {};
    const health = {
      ...this.#health,
      relistedMs: this.#options.relistedMs(),
      isShuttingDown: this.#options.isShuttingDown(),
    };
    const conditions = decideConditions(known.conditions ?? [], health, {
      nowMs: clock.nowMs(),
      cgroupVersion: machine.cgroupVersion,
      pressures: pressures(),
    });
    const inputs = {
      ...{
        nodeName,
        machine,
        addresses: this.#options.addresses(),
        kubeletVersion,
        conditions,
        reserved: reserved(machine),
      },
      ...{ runtime: this.#runtime, images: this.#images, abilities: this.#abilities },
    };
    if (this.#node === null) {
      const node = renderNode(inputs, readRoutes(ownInterface)) as KubeObject;
      const answer = await api
        .create<Node & KubeObject>(NODES, node as Node & KubeObject)
        .catch(async (error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
          return api.get<Node & KubeObject>(NODES, nodeName);
        });
      this.#learn(answer);
      log("info", "the node is registered", { node: nodeName });
      // That it is ready is told when it becomes so.
      this.#noteChanges(changeReasons([], conditions).filter((reason) => reason.startsWith("NodeHas")));
    }
    if (!this.#created) this.#introduce(machine);
    this.#created = true;
    await this.#reportLabels(machine);
    await this.#reportStatus(renderStatus(inputs));
    await this.#ensureLease();
    this.#tellPodCidrs();
  }

  /** From an answer, which may come after the watch has told what followed it. */
  #learn(node: Node): void {
    if (!this.#node || revisionOf(node) > revisionOf(this.#node)) this.#node = node;
  }

  /** The runtime's own word; while it is silent the last one stands, until it counts as down. */
  async #lookAtRuntime(): Promise<void> {
    const { cri, clock, log } = this.#options;
    try {
      const { conditions, runtimeHandlers, features } = await withTimeout(cri.status(), RUNTIME_TIMEOUT_MS);
      this.#abilities = { runtimeHandlers, features };
      this.#runtime ??= await cri.version();
      this.#images = await cri.listImages();
      this.#health = { conditions, answeredMs: clock.nowMs() };
    } catch (error) {
      log("debug", "the container runtime does not answer", { error: String(error) });
    }
  }

  async #reportLabels(machine: MachineFacts): Promise<void> {
    const { api, nodeName } = this.#options;
    const labels = renderLabels({ nodeName, machine });
    const known = this.#node?.metadata?.labels ?? {};
    if (Object.entries(labels).every(([name, value]) => known[name] === value)) return;
    await api.patch(NODES, { name: nodeName }, "strategic", { metadata: { labels } });
  }

  async #reportStatus(ours: NodeStatus): Promise<void> {
    const { api, clock, nodeName } = this.#options;
    const known = this.#node?.status ?? {};
    const reasons = changeReasons(known.conditions ?? [], ours.conditions ?? []);
    if (readyOf(ours) === "True") this.#wasReady = true;
    const patch = decideStatusPatch(known, ours, clock.nowMs() - this.#reportedMs);
    if (!patch) return;
    this.#learn(
      await api.patch<Node & KubeObject>(NODES, { name: nodeName, subresource: "status" }, "strategic", patch),
    );
    this.#reportedMs = clock.nowMs();
    this.#noteChanges(reasons);
  }

  async #ensureLease(): Promise<void> {
    const { api, clock, nodeName } = this.#options;
    if (this.#hasLease) return;
    await ensureLease(api, { name: nodeName, uid: this.#node?.metadata?.uid ?? "" }, clock.nowMs());
    this.#hasLease = true;
  }

  #tellPodCidrs(): void {
    const { spec } = this.#node ?? {};
    const podCidrs = spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
    if (podCidrs.length === 0 || podCidrs.join() === this.#podCidrs) return;
    this.#options.onPodCidrs(podCidrs);
    this.#podCidrs = podCidrs.join();
  }

  /** The events of a kubelet's start. */
  #introduce(machine: MachineFacts): void {
    const { nodeName } = this.#options;
    this.#note({ type: "Normal", reason: "Starting", message: "Starting kubelet." });
    const bootBefore = this.#node?.status?.nodeInfo?.bootID;
    if (bootBefore && bootBefore !== machine.bootId) {
      const message = `Node ${nodeName} has been rebooted, boot id: ${machine.bootId}`;
      this.#note({ type: "Warning", reason: "Rebooted", message });
    }
    if (machine.cgroupVersion === 1) this.#note({ type: "Warning", reason: "CgroupV1", message: CGROUP_V1_MESSAGE });
  }

  #noteChanges(reasons: string[]): void {
    const { nodeName } = this.#options;
    for (const reason of reasons) {
      this.#note({ type: "Normal", reason, message: `Node ${nodeName} status is now: ${reason}` });
    }
  }

  /** Events are a courtesy: one that cannot be sent is dropped. */
  #note(event: NodeEvent): void {
    const { api, clock, nodeName, log } = this.#options;
    sendNodeEvent(api, nodeName, event, clock.nowMs()).catch((error: unknown) => {
      log("debug", "an event could not be sent", { reason: event.reason, error: String(error) });
    });
  }
}

const readyOf = ({ conditions }: NodeStatus) => conditions?.find(({ type }) => type === "Ready")?.status;

async function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Revisions of one resource are numbers that grow. */
const revisionOf = ({ metadata }: Node): number => Number(metadata?.resourceVersion ?? 0);
