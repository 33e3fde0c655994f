import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import { NODES, PODS } from "../../shared/api/refs.ts";
import { isNotFound } from "../../shared/api/status.ts";
import type { Node, Pod } from "../../shared/api/types.ts";
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

const STATUS_MS = 60_000;

/** Runs the pods of one node in virtual time: they start, become ready, end if they are a Job's, and go when they must. */
export class FakeKubelet {
  readonly node: string;
  readonly #api: SimApi;
  readonly #random: Random;
  readonly #habits: () => KubeletHabits;
  /** By uid: what is under way. */
  readonly #busy = new Set<string>();
  #isUp = true;
  #renewedMs = Date.now();
  /** Of all pods that ever ran here: by name those that run now, to see that no name runs twice. */
  readonly running = new Map<string, string>();

  constructor(node: string, options: { api: SimApi; random: Random; habits: () => KubeletHabits }) {
    this.node = node;
    this.#api = options.api;
    this.#random = options.random;
    this.#habits = options.habits;
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

  async comeBack(): Promise<void> {
    this.#isUp = true;
    await this.reportReady();
    for (const pod of this.#api.all<Pod>(PODS)) this.look(pod);
  }

  async reportReady(): Promise<void> {
    const now = new Date().toISOString();
    const known = this.#api.find<Node>(NODES, this.node)?.status?.conditions?.find(({ type }) => type === "Ready");
    const since = known?.status === "True" ? known.lastTransitionTime : now;
    const condition = { type: "Ready", status: "True", lastHeartbeatTime: now, lastTransitionTime: since };
    await this.#api
      .patch(NODES, { name: this.node }, "strategic", { status: { conditions: [condition] } })
      .catch(ignoreGone);
  }

  /** Keeps its Node's status fresh, as long as the simulation goes on. */
  start(): void {
    setInterval(() => void (this.#isUp && this.reportReady()), STATUS_MS * 5);
  }

  /** To be told of each change of a pod. */
  look(pod: Pod): void {
    if (pod.spec.nodeName !== this.node || !this.#isUp) return;
    const { uid = "" } = pod.metadata;
    if (this.#busy.has(uid)) return;
    if (!pod.metadata.deletionTimestamp && (isPodTerminal(pod) || pod.status?.phase === "Running")) return;
    this.#busy.add(uid);
    void this.#work(uid, `${pod.metadata.namespace}/${pod.metadata.name}`);
  }

  async #work(uid: string, key: string): Promise<void> {
    try {
      const habits = this.#habits();
      const current = () => {
        const pod = this.#api.find<Pod>(PODS, key);
        return pod?.metadata.uid === uid ? pod : undefined;
      };
      const pod = current();
      if (!pod) return;
      if (pod.metadata.deletionTimestamp) {
        await pause(this.#random.between(0, habits.maxStopMs));
        await this.#whenUp();
        this.running.delete(key);
        const last = current();
        if (last && !isPodTerminal(last)) await this.#report(key, uid, { phase: "Failed" });
        if (current()) await this.#api.delete(PODS, pod.metadata, { gracePeriodSeconds: 0 }).catch(ignoreGone);
        return;
      }
      await pause(this.#random.between(0, habits.maxStartMs));
      await this.#whenUp();
      if (current()?.metadata.deletionTimestamp !== undefined || !current()) return;
      const other = this.running.get(key);
      if (other !== undefined && other !== uid) throw new Error(`${key} runs twice on ${this.node}`);
      this.running.set(key, uid);
      await this.#report(key, uid, { phase: "Running" });
      if (pod.spec.restartPolicy !== "Never") return;
      await pause(this.#random.between(0, habits.maxRunMs));
      await this.#whenUp();
      const stillThere = current();
      if (!stillThere || stillThere.metadata.deletionTimestamp) return;
      this.running.delete(key);
      await this.#report(key, uid, { phase: this.#random.chance(habits.failure) ? "Failed" : "Succeeded" });
    } finally {
      this.#busy.delete(uid);
      const pod = this.#api.find<Pod>(PODS, key);
      if (pod?.metadata.uid === uid) this.look(pod);
    }
  }

  async #report(key: string, uid: string, { phase }: { phase: string }): Promise<void> {
    const [namespace, name] = key.split("/") as [string, string];
    if (this.#api.find<Pod>(PODS, key)?.metadata.uid !== uid) return;
    const now = new Date().toISOString();
    const ready = { type: "Ready", status: phase === "Running" ? "True" : "False", lastTransitionTime: now };
    const status = { phase, podIP: "10.244.0.9", conditions: [ready, { ...ready, type: "ContainersReady" }] };
    await this.#api.patch(PODS, { name, namespace }, "strategic", { status }).catch(ignoreGone);
  }

  async #whenUp(): Promise<void> {
    while (!this.#isUp) await pause(1_000);
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
