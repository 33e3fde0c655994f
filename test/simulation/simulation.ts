import { CACHING } from "../../control-plane/controllers/caching.ts";
import type { ControllerDefinition, RunnerOptions } from "../../control-plane/runtime/index.ts";
import { CACHING as SCHEDULER_CACHING } from "../../control-plane/scheduler/caching.ts";
import { podScheduling } from "../../control-plane/scheduler/pod-scheduling.ts";
import { NODES, PODS } from "../../shared/api/refs.ts";
import type { Pod } from "../../shared/api/types.ts";
import type { ApiClient } from "../../shared/client/api-client.ts";
import { EvictableRunner } from "../builders/evictable-runner.ts";
import { allControllers } from "./every-controller.ts";
import { type Containers, FakeKubelet, type KubeletHabits } from "./fake-kubelet.ts";
import { type FaultRates, Feed, faultyClient, NO_FAULTS } from "./faults.ts";
import { Invariants } from "./invariants/index.ts";
import type { Random } from "./random.ts";
import { SimApi } from "./sim-api.ts";

const NODE_COUNT = 4;
const alive = () => false;

/**
 * A whole cluster in one process and in virtual time (the caller's fake timers): an API in memory, all controllers, the
 * scheduler, and kubelets that only pretend.
 */
export class Simulation {
  readonly api = new SimApi();
  readonly invariants = new Invariants(this.api);
  readonly kubelets: FakeKubelet[] = [];
  rates: FaultRates = NO_FAULTS;
  habits: KubeletHabits = { maxStartMs: 3_000, maxStopMs: 5_000, maxRunMs: 30_000, failure: 0.1 };
  /** Until then (epoch ms) the API answers nobody. */
  outageUntilMs = 0;
  /** What all pods of a Deployment use together, by its name (thousandths of a core). */
  readonly load = new Map<string, number>();
  readonly #random: Random;
  readonly #parts: { runner: EvictableRunner; feed: Feed }[];

  constructor(random: Random) {
    this.#random = random;
    this.#parts = [this.#part(allControllers, CACHING), this.#part(() => [podScheduling], SCHEDULER_CACHING)];
    const { api } = this;
    api.nowMs = () => Date.now();
    api.answer = (path) => this.#answer(path);
    api.renewedMs = (name) => this.kubelets.find((kubelet) => kubelet.node === name)?.renewedMs;
    api.refuse = (call) => this.invariants.onCall(call);
    api.onEviction = (pod, budget) => this.invariants.onEviction(pod, budget);
    api.onBatch = (batch) => {
      for (const { feed } of this.#parts) feed.push(batch);
      this.invariants.onBatch(batch);
      if (batch.resource === PODS.resource) for (const { key } of batch.changes) this.#tellKubelets(key);
    };
  }

  start(): void {
    const containers: Containers = new Map();
    for (let i = 1; i <= NODE_COUNT; i++) {
      const name = `node-${i}`;
      const kubelet = new FakeKubelet(name, {
        api: this.api,
        client: this.#client(`kubelet-${i}`, alive),
        random: this.#random,
        habits: () => this.habits,
        containers,
        say: (violation) => this.invariants.say(violation),
      });
      this.kubelets.push(kubelet);
      void kubelet.register();
      kubelet.start();
    }
    for (const { runner } of this.#parts) runner.wake();
  }

  /** Controllers or the scheduler lose their memory. */
  kill(): void {
    this.#random.pick(this.#parts)!.runner.kill();
  }

  async removeNode(kubelet: FakeKubelet): Promise<void> {
    kubelet.switchOff();
    this.api.caller = "user";
    await this.api.delete(NODES, { name: kubelet.node });
  }

  #part(controllers: () => ControllerDefinition[], caching: RunnerOptions["caching"]) {
    const runner: EvictableRunner = new EvictableRunner({
      controllers,
      caching,
      clientFor: (who, isDead) => this.#client(who, isDead, () => runner.kill()),
    });
    const feed = new Feed({ random: this.#random, rates: () => this.rates, deliver: (batch) => runner.take(batch) });
    return { runner, feed };
  }

  #client(who: string, isDead: () => boolean, die?: () => void): ApiClient {
    return faultyClient(this.api, {
      random: this.#random,
      rates: () => this.rates,
      who,
      isDead,
      ...(die && { die }),
      outageUntilMs: () => this.outageUntilMs,
    });
  }

  /** Their watches are no faster than the controllers'. */
  #tellKubelets(key: string): void {
    const told = this.#random.chance(this.rates.repeated) ? 2 : 1;
    for (let i = 0; i < told; i++) {
      setTimeout(
        () => {
          const pod = this.api.find<Pod>(PODS, key);
          if (pod) for (const kubelet of this.kubelets) kubelet.look(pod);
        },
        this.#random.between(0, this.rates.maxFeedDelayMs),
      );
    }
  }

  /** Metrics of pods, as metrics.k8s.io would have them; nothing else is there that no resource is. */
  #answer(path: string): unknown {
    const app = /labelSelector=app%3D(\w+)/.exec(path)?.[1] ?? "";
    const load = this.load.get(app);
    if (!path.startsWith("/apis/metrics.k8s.io/") || load === undefined)
      return { kind: "APIResourceList", groupVersion: "v1", resources: [] };
    const pods = this.api
      .all<Pod>(PODS)
      .filter(({ metadata, status }) => metadata.labels?.["app"] === app && status?.phase === "Running");
    const usage = { cpu: `${Math.round(load / Math.max(1, pods.length))}m` };
    const timestamp = new Date().toISOString();
    return {
      items: pods.map(({ metadata }) => ({
        metadata: { name: metadata.name },
        timestamp,
        window: "30s",
        containers: [{ name: "main", usage }],
      })),
    };
  }
}
