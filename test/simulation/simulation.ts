import { CACHING } from "../../control-plane/controllers/caching.ts";
import { cronJobController } from "../../control-plane/controllers/cronjob/index.ts";
import { daemonSetController } from "../../control-plane/controllers/daemonset/index.ts";
import { deploymentController } from "../../control-plane/controllers/deployment/index.ts";
import { garbageCollector } from "../../control-plane/controllers/garbage-collector/index.ts";
import { jobController } from "../../control-plane/controllers/job/index.ts";
import { nodeLifecycleController } from "../../control-plane/controllers/node-lifecycle/index.ts";
import { podGcController } from "../../control-plane/controllers/pod-gc/index.ts";
import { replicaSetController } from "../../control-plane/controllers/replicaset/index.ts";
import { statefulSetController } from "../../control-plane/controllers/statefulset/index.ts";
import { taintEvictionController } from "../../control-plane/controllers/taint-eviction/index.ts";
import { ttlAfterFinishedController } from "../../control-plane/controllers/ttl-after-finished/index.ts";
import type {
  ControllerDefinition,
  ControllerRunner,
  Notes,
  RunnerOptions,
} from "../../control-plane/runtime/index.ts";
import { CACHING as SCHEDULER_CACHING } from "../../control-plane/scheduler/caching.ts";
import { podScheduling } from "../../control-plane/scheduler/pod-scheduling.ts";
import { NODES, PODS } from "../../shared/api/refs.ts";
import type { Pod } from "../../shared/api/types.ts";
import { memoryNotes } from "../builders/memory-notes.ts";
import { node } from "../builders/objects.ts";
import { controllerRunner } from "../builders/run-controllers.ts";
import { FakeKubelet, type KubeletHabits } from "./fake-kubelet.ts";
import { type FaultRates, Feed, faultyClient, NO_FAULTS } from "./faults.ts";
import { Invariants } from "./invariants.ts";
import type { Random } from "./random.ts";
import { SimApi } from "./sim-api.ts";

const CONTROLLERS: ControllerDefinition[] = [
  deploymentController,
  replicaSetController,
  statefulSetController,
  daemonSetController,
  jobController,
  cronJobController,
  ttlAfterFinishedController,
  nodeLifecycleController,
  taintEvictionController,
  podGcController,
  garbageCollector,
];

/** Controllers or the scheduler, as they run in an object of their own: killed at any moment, started again with their notes. */
class Part {
  readonly #api: SimApi;
  readonly #random: Random;
  readonly #rates: () => FaultRates;
  readonly #controllers: ControllerDefinition[];
  readonly #caching: RunnerOptions["caching"];
  readonly #notes: Notes = memoryNotes();
  readonly #feed: Feed;
  #life = 0;
  #runner!: ControllerRunner;

  constructor(
    controllers: ControllerDefinition[],
    caching: RunnerOptions["caching"],
    { api, random, rates }: { api: SimApi; random: Random; rates: () => FaultRates },
  ) {
    this.#api = api;
    this.#random = random;
    this.#rates = rates;
    this.#controllers = controllers;
    this.#caching = caching;
    this.#feed = new Feed({ random, rates, deliver: (batch) => this.#runner.take(batch) });
  }

  get feed(): Feed {
    return this.#feed;
  }

  /** Whoever ran before is dead from now on. */
  start(): void {
    const life = ++this.#life;
    const client = faultyClient(this.#api, {
      random: this.#random,
      rates: this.#rates,
      isDead: () => this.#life !== life,
    });
    this.#runner = controllerRunner({
      controllers: this.#controllers,
      client,
      caching: this.#caching,
      notes: this.#notes,
    });
    this.#runner.start();
  }
}

/**
 * A whole cluster in one process and in virtual time (the caller's fake timers): an API in memory, the controllers, the
 * scheduler, and kubelets that only pretend.
 */
export class Simulation {
  readonly api = new SimApi();
  readonly invariants = new Invariants(this.api);
  readonly kubelets: FakeKubelet[] = [];
  rates: FaultRates = NO_FAULTS;
  habits: KubeletHabits = { maxStartMs: 3_000, maxStopMs: 5_000, maxRunMs: 30_000, failure: 0.1 };
  readonly #random: Random;
  readonly #controllers: Part;
  readonly #scheduler: Part;

  constructor(random: Random) {
    this.#random = random;
    const options = { api: this.api, random, rates: () => this.rates };
    this.#controllers = new Part(CONTROLLERS, CACHING, options);
    this.#scheduler = new Part([podScheduling], SCHEDULER_CACHING, options);
    this.api.nowMs = () => Date.now();
    this.api.answer = () => ({ kind: "APIResourceList", groupVersion: "v1", resources: [] });
    this.api.renewedMs = (name) => this.kubelets.find((kubelet) => kubelet.node === name)?.renewedMs;
    this.api.onBatch = (batch) => {
      this.#controllers.feed.push(batch);
      this.#scheduler.feed.push(batch);
      if (batch.resource !== "events") this.invariants.check();
      if (batch.resource === PODS.resource) {
        for (const { type, key } of batch.changes) {
          const pod = type === "DELETED" ? undefined : this.api.find<Pod>(PODS, key);
          if (pod) for (const kubelet of this.kubelets) kubelet.look(pod);
        }
      }
    };
  }

  async start(nodes: number): Promise<void> {
    for (let i = 1; i <= nodes; i++) {
      const name = `node-${i}`;
      const kubelet = new FakeKubelet(name, { api: this.api, random: this.#random, habits: () => this.habits });
      this.kubelets.push(kubelet);
      await this.api.create(NODES, node(name).ready(new Date().toISOString()).build());
      kubelet.start();
    }
    this.#controllers.start();
    this.#scheduler.start();
  }

  killControllers(): void {
    this.#controllers.start();
  }

  killScheduler(): void {
    this.#scheduler.start();
  }
}
