import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import { NODES, PODS } from "../../shared/api/refs.ts";
import { isConflict, isInvalid, isNotFound } from "../../shared/api/status.ts";
import type { Node, Pod } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { node as nodeBuilder } from "../builders/objects.ts";
import type { Random } from "./random.ts";
import type { SimApi } from "./sim-api.ts";

/** How pods of this node behave. */
export interface KubeletHabits {
  maxStartMs: number;
  maxStopMs: number;
  /** Of the pods that end: those of Jobs. */
  maxRunMs: number;
  failure: number;
}

/** What runs anywhere: by a pod's key, its uid and node. No name may ever run twice. */
export type Containers = Map<string, { uid: string; node: string }>;

const STATUS_MS = 300_000;
const RETRY_MS = 1_000;
/** How much slower everything is on a node that is slow. */
const SLOWNESS = 15;

/** Runs the pods of one node in virtual time: they start, become ready, end if they are a Job's, and go when they must. */
export class FakeKubelet {
  readonly node: string;
  readonly #api: SimApi;
  readonly #client: ApiClient;
  readonly #random: Random;
  readonly #habits: () => KubeletHabits;
  readonly #containers: Containers;
  readonly #say: (violation: string) => void;
  /** By uid: what is under way in this life. */
  #busy = new Set<string>();
  #life = 0;
  #isUp = true;
  /** The machine is switched off: nothing runs. */
  #isOff = false;
  #renewedMs = Date.now();
  isSlow = false;

  /** @param options.client through which it writes; what it reads it knows at once */
  constructor(
    node: string,
    options: {
      api: SimApi;
      client: ApiClient;
      random: Random;
      habits: () => KubeletHabits;
      containers: Containers;
      say: (violation: string) => void;
    },
  ) {
    this.node = node;
    this.#api = options.api;
    this.#client = options.client;
    this.#random = options.random;
    this.#habits = options.habits;
    this.#containers = options.containers;
    this.#say = options.say;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get renewedMs(): number {
    return this.#isUp ? Date.now() : this.#renewedMs;
  }

  /** The connection goes, and the node's life with it as far as anybody can see; its pods run on. */
  goDown(): void {
    this.#renewedMs = Date.now();
    this.#isUp = false;
  }

  /** The machine goes, with all that ran on it. */
  switchOff(): void {
    this.goDown();
    this.#isOff = true;
    this.#forget();
    for (const [key, { node }] of this.#containers) if (node === this.node) this.#containers.delete(key);
  }

  async comeBack(): Promise<void> {
    this.#isUp = true;
    this.#isOff = false;
    await this.register();
    this.#lookAtAll();
  }

  /** The process begins anew; containers run on. */
  restart(): void {
    this.#forget();
    this.#lookAtAll();
  }

  async register(): Promise<void> {
    const now = new Date().toISOString();
    if (!this.#api.find(NODES, this.node)) {
      const built = nodeBuilder(this.node).ready(now).build();
      await this.#send(() => this.#client.create(NODES, built));
    }
    await this.#reportReady();
  }

  /** Keeps its Node's status fresh, as long as the simulation goes on. */
  start(): void {
    setInterval(() => void (this.#isUp && this.#reportReady()), STATUS_MS);
  }

  /** To be told of each change of a pod. */
  look(pod: Pod): void {
    if (pod.spec.nodeName !== this.node || !this.#isUp) return;
    const { uid = "", deletionTimestamp } = pod.metadata;
    if (this.#busy.has(uid)) return;
    const runsOn = pod.status?.phase === "Running" && pod.spec.restartPolicy !== "Never";
    if (!deletionTimestamp && (isPodTerminal(pod) || runsOn)) return;
    this.#busy.add(uid);
    void this.#work(uid, `${pod.metadata.namespace}/${pod.metadata.name}`, this.#life);
  }

  async #reportReady(): Promise<void> {
    const now = new Date().toISOString();
    const known = this.#api.find<Node>(NODES, this.node)?.status?.conditions?.find(({ type }) => type === "Ready");
    const since = known?.status === "True" ? known.lastTransitionTime : now;
    const condition = { type: "Ready", status: "True", lastHeartbeatTime: now, lastTransitionTime: since };
    await this.#send(() =>
      this.#client.patch(NODES, { name: this.node }, "strategic", { status: { conditions: [condition] } }),
    );
  }

  #lookAtAll(): void {
    for (const pod of this.#api.all<Pod>(PODS)) this.look(pod);
  }

  #forget(): void {
    this.#life += 1;
    this.#busy = new Set();
  }

  async #work(uid: string, key: string, life: number): Promise<void> {
    await this.#step(uid, key, life);
    if (life !== this.#life) return;
    this.#busy.delete(uid);
    const pod = this.#current(uid, key);
    if (pod) this.look(pod);
  }

  async #step(uid: string, key: string, life: number): Promise<void> {
    const { maxStopMs, maxStartMs, maxRunMs, failure } = this.#habits();
    const pod = this.#current(uid, key);
    if (!pod) return;
    if (pod.metadata.deletionTimestamp) {
      if (!(await this.#pause(maxStopMs, life))) return;
      if (this.#containers.get(key)?.uid === uid) this.#containers.delete(key);
      if (!isPodTerminal(pod)) await this.#report(key, uid, "Failed");
      if (this.#current(uid, key)?.metadata.finalizers?.length) await this.#pause(RETRY_MS, life);
      else if (this.#current(uid, key)) {
        await this.#send(() => this.#client.delete(PODS, pod.metadata, { uid, gracePeriodSeconds: 0 }));
      }
      return;
    }
    if (pod.status?.phase !== "Running") {
      if (!(await this.#pause(maxStartMs, life)) || !this.#lives(uid, key)) return;
      const other = this.#containers.get(key);
      if (other && other.uid !== uid) this.#say(`pod ${key} runs twice: on ${other.node} and ${this.node}`);
      this.#containers.set(key, { uid, node: this.node });
      await this.#report(key, uid, "Running");
    }
    if (pod.spec.restartPolicy !== "Never") return;
    if (!(await this.#pause(maxRunMs, life)) || !this.#lives(uid, key)) return;
    if (this.#containers.get(key)?.uid === uid) this.#containers.delete(key);
    await this.#report(key, uid, this.#random.chance(failure) ? "Failed" : "Succeeded");
  }

  #current(uid: string, key: string): Pod | undefined {
    const pod = this.#api.find<Pod>(PODS, key);
    return pod?.metadata.uid === uid ? pod : undefined;
  }

  #lives(uid: string, key: string): boolean {
    const pod = this.#current(uid, key);
    return pod !== undefined && !pod.metadata.deletionTimestamp && !isPodTerminal(pod);
  }

  async #report(key: string, uid: string, phase: string): Promise<void> {
    const [namespace, name] = key.split("/") as [string, string];
    const now = new Date().toISOString();
    const ready = { type: "Ready", status: phase === "Running" ? "True" : "False", lastTransitionTime: now };
    const status = {
      phase,
      ...(phase === "Running" && { startTime: now }),
      podIP: "10.244.0.9",
      podIPs: [{ ip: "10.244.0.9" }],
      conditions: [ready, { ...ready, type: "ContainersReady" }],
    };
    await this.#send(async () => {
      const pod = this.#current(uid, key);
      if (pod && !isPodTerminal(pod))
        await this.#client.patch(PODS, { name, namespace }, "strategic", { metadata: { uid }, status });
    });
  }

  /** Tries until it is heard. */
  async #send(request: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await request();
        return;
      } catch (error) {
        if (isNotFound(error) || isConflict(error) || isInvalid(error)) return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** @returns whether this life still goes on */
  async #pause(maxMs: number, life: number): Promise<boolean> {
    const ms = this.#random.between(0, maxMs) * (this.isSlow ? SLOWNESS : 1);
    await new Promise((resolve) => setTimeout(resolve, ms));
    while (!this.#isUp && !this.#isOff && life === this.#life)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return life === this.#life;
  }
}
