import type { KubeObject } from "../../shared/api/object.ts";
import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  HORIZONTAL_POD_AUTOSCALERS,
  JOBS,
  NAMESPACES,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  RESOURCE_QUOTAS,
  SERVICES,
  STATEFUL_SETS,
} from "../../shared/api/refs.ts";
import { isNotFound } from "../../shared/api/status.ts";
import type { CronJob, Deployment, Pod, StatefulSet } from "../../shared/api/types.ts";
import {
  container,
  cronJob,
  daemonSet,
  deployment,
  job,
  namespace,
  object,
  service,
  statefulSet,
} from "../builders/objects.ts";
import type { Random } from "./random.ts";
import type { SimApi } from "./sim-api.ts";
import type { Simulation } from "./simulation.ts";

const CPU = { resources: { requests: { cpu: "200m" } } };
const MAX_REPLICAS = 6;
const MAX_JOBS = 4;
const MAX_NAMESPACES = 2;
/** Pods in a namespace of the user's; six are asked for, four of them for good. */
const QUOTA = 5;
const AUTOSCALED = "d1";
/** The target of its autoscaler: half of what its pods ask for. */
const MAX_LOAD_MILLI = 700;
/** How long an autoscaler is there: it looks every 15 s. */
const AUTOSCALER_MS = 40 * 60_000;
const DRAIN_RETRY_MS = 10_000;
const MAX_DRAIN_TRIES = 60;

const withCpu = <T extends KubeObject>(built: T): T => {
  const { template } = (built as unknown as { spec: { template: { spec: { containers: unknown[] } } } }).spec;
  template.spec.containers = [container("main", CPU)];
  return built;
};

/** Somebody who always changes something, by lot. */
export class User {
  readonly #api: SimApi;
  readonly #simulation: Simulation;
  readonly #random: Random;
  #serial = 0;
  #isOver = false;

  constructor(simulation: Simulation, random: Random) {
    this.#api = simulation.api;
    this.#simulation = simulation;
    this.#random = random;
  }

  async begin(): Promise<void> {
    const strategies = [
      { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      { type: "Recreate" },
    ];
    for (const [i, strategy] of strategies.entries()) {
      const built = withCpu(deployment(`d${i}`).replicas(3).build());
      built.spec.strategy = strategy as NonNullable<Deployment["spec"]["strategy"]>;
      await this.#api.create(DEPLOYMENTS, built);
    }
    await this.#api.create(STATEFUL_SETS, withCpu(statefulSet("s0").replicas(3).build()));
    const parallel = withCpu(statefulSet("s1").replicas(2).build());
    parallel.spec.podManagementPolicy = "Parallel";
    await this.#api.create(STATEFUL_SETS, parallel);
    await this.#api.create(
      DAEMON_SETS,
      daemonSet("a0")
        .with({ spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } } } })
        .build(),
    );
    await this.#api.create(
      DAEMON_SETS,
      daemonSet("a1")
        .with({
          spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
        })
        .build(),
    );
    await this.#api.create(CRON_JOBS, withSchedule("often", "*/10 * * * *", { concurrencyPolicy: "Forbid" }));
    await this.#api.create(CRON_JOBS, withSchedule("daily", "30 12 * * *", { timeZone: "Europe/Berlin" }));
    await this.#api.create(CRON_JOBS, withSchedule("hourly", "15 * * * *", { timeZone: "America/New_York" }));
    await this.#api.create(POD_DISRUPTION_BUDGETS, budget("d0", { minAvailable: 2 }));
    await this.#api.create(POD_DISRUPTION_BUDGETS, budget("s0", { maxUnavailable: 1 }));
    for (const name of ["d0", "d1"]) await this.#api.create(SERVICES, service(name).build());
  }

  /** One change. */
  async act(): Promise<void> {
    const { pick } = { pick: <T>(items: T[]) => this.#random.pick(items) };
    const act = pick([
      () => this.#scale(DEPLOYMENTS),
      () => this.#scale(STATEFUL_SETS),
      () => this.#update(DEPLOYMENTS),
      () => this.#update(STATEFUL_SETS),
      () => this.#update(DAEMON_SETS),
      () => this.#pause(),
      () => this.#startJob(),
      () => this.#recreate(),
      () => this.#cordon(),
      () => this.#drain(),
      () => this.#setPartition(),
      () => this.#makeNamespace(),
      () => this.#removeNamespace(),
      () => this.#autoscale(),
      () => this.#setLoad(),
    ]);
    await act?.();
  }

  /** Nothing is left paused or cordoned, so that everything can come to its end. */
  async finish(): Promise<void> {
    this.#isOver = true;
    for (const { metadata } of this.#api.all<Deployment>(DEPLOYMENTS)) {
      await this.#api.patch(DEPLOYMENTS, metadata, "merge", { spec: { paused: null } });
    }
    for (const { metadata } of this.#api.all(NODES)) {
      await this.#api.patch(NODES, metadata, "merge", { spec: { unschedulable: null } });
    }
    for (const { metadata } of this.#api.all<CronJob>(CRON_JOBS)) {
      await this.#api.patch(CRON_JOBS, metadata, "merge", { spec: { suspend: true } });
    }
  }

  /** Those in `default`: what is in other namespaces comes and goes with them. */
  #own<T extends KubeObject>(ref: typeof DEPLOYMENTS): T[] {
    return this.#api.all<T>(ref).filter(({ metadata }) => metadata.namespace === "default");
  }

  /** As kubectl drain does it, beside everything else. */
  async #drain(): Promise<void> {
    const some = this.#random.pick(this.#api.all(NODES));
    if (!some) return;
    await this.#api.patch(NODES, some.metadata, "merge", { spec: { unschedulable: true } });
    void this.#evictAll(some.metadata.name);
  }

  async #evictAll(node: string): Promise<void> {
    for (let tries = 0; tries < MAX_DRAIN_TRIES && !this.#isOver; tries++) {
      const pods = this.#api
        .all<Pod>(PODS)
        .filter((pod) => pod.spec.nodeName === node && !isPodTerminal(pod) && !pod.metadata.deletionTimestamp)
        .filter(({ metadata }) => !metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet"));
      if (pods.length === 0) return;
      for (const { metadata } of pods) {
        const eviction = { metadata: { name: metadata.name, namespace: metadata.namespace ?? "" } };
        this.#api.caller = "user"; // others have called meanwhile
        // What the budget refuses is asked for again.
        await this.#api.create(PODS, eviction, { name: metadata.name, subresource: "eviction" }).catch(() => {});
      }
      await new Promise((resolve) => setTimeout(resolve, DRAIN_RETRY_MS));
    }
  }

  async #setPartition(): Promise<void> {
    const partition = this.#random.int(3);
    const target = { name: "s0", namespace: "default" };
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition } };
    await this.#api.patch(STATEFUL_SETS, target, "merge", { spec: { updateStrategy } });
  }

  async #makeNamespace(): Promise<void> {
    const own = this.#api.all(NAMESPACES).filter(({ metadata }) => /^n\d+$/.test(metadata.name));
    if (own.length >= MAX_NAMESPACES) return;
    const name = `n${++this.#serial}`;
    await this.#api.create(NAMESPACES, namespace(name).build());
    await this.#api.create(
      RESOURCE_QUOTAS,
      object("v1", "ResourceQuota", "q", {
        metadata: { name: "q", namespace: name },
        spec: { hard: { pods: String(QUOTA) } },
        // As the controller will say: until it has, nothing may be made.
        status: { hard: { pods: String(QUOTA) }, used: { pods: "0" } },
      }).build(),
    );
    await this.#api.create(DEPLOYMENTS, withCpu(deployment("web").replicas(2).in(name).build()));
    await this.#api.create(STATEFUL_SETS, withCpu(statefulSet("db").replicas(2).in(name).build()));
    const built = withCpu(
      job("work")
        .with({ spec: { completions: 4, parallelism: 2 } })
        .in(name)
        .build(),
    );
    built.spec.template.spec!.restartPolicy = "Never";
    await this.#api.create(JOBS, built);
  }

  async #removeNamespace(): Promise<void> {
    const some = this.#random.pick(this.#api.all(NAMESPACES).filter(({ metadata }) => /^n\d+$/.test(metadata.name)));
    if (some && !some.metadata.deletionTimestamp) await this.#api.delete(NAMESPACES, some.metadata);
  }

  async #autoscale(): Promise<void> {
    if (this.#api.find(HORIZONTAL_POD_AUTOSCALERS, `default/${AUTOSCALED}`)) return;
    await this.#setLoad();
    await this.#api.create(HORIZONTAL_POD_AUTOSCALERS, autoscaler());
    setTimeout(() => {
      if (!this.#isOver) void this.#api.delete(HORIZONTAL_POD_AUTOSCALERS, autoscaler().metadata).catch(ignoreGone);
    }, AUTOSCALER_MS);
  }

  async #setLoad(): Promise<void> {
    this.#simulation.load.set(AUTOSCALED, this.#random.int(MAX_LOAD_MILLI));
  }

  async #scale(ref: typeof DEPLOYMENTS): Promise<void> {
    const some = this.#random.pick(this.#own<Deployment | StatefulSet>(ref));
    if (some)
      await this.#api.patch(ref, some.metadata, "merge", { spec: { replicas: this.#random.int(MAX_REPLICAS + 1) } });
  }

  async #update(ref: typeof DEPLOYMENTS): Promise<void> {
    const some = this.#random.pick(this.#own<Deployment>(ref));
    if (!some) return;
    const image = `registry.test/app:${++this.#serial}`;
    const template = structuredClone(some.spec.template);
    template.spec!.containers[0]!.image = image;
    await this.#api.patch(ref, some.metadata, "merge", { spec: { template } });
  }

  async #pause(): Promise<void> {
    const some = this.#random.pick(this.#own<Deployment>(DEPLOYMENTS));
    if (some)
      await this.#api.patch(DEPLOYMENTS, some.metadata, "merge", { spec: { paused: some.spec.paused ? null : true } });
  }

  async #startJob(): Promise<void> {
    if (this.#api.all(JOBS).filter(({ metadata }) => metadata.name.startsWith("j")).length >= MAX_JOBS) return;
    const name = `j${++this.#serial}`;
    const completions = 1 + this.#random.int(5);
    const built = withCpu(
      job(name)
        .with({
          spec: {
            completions,
            parallelism: 1 + this.#random.int(3),
            backoffLimit: this.#random.int(4),
            ttlSecondsAfterFinished: 600,
            ...(this.#random.chance(0.5) && { completionMode: "Indexed" }),
          },
        })
        .build(),
    );
    built.spec.template.spec!.restartPolicy = "Never";
    // As the API server would: the selector and labels are the Job's own.
    await this.#api.create(JOBS, built);
  }

  /** Deletes a Deployment as kubectl does, and makes it anew under the same name. */
  async #recreate(): Promise<void> {
    const some = this.#random.pick(this.#own<Deployment>(DEPLOYMENTS));
    if (!some) return;
    await this.#api.delete(DEPLOYMENTS, some.metadata, { propagationPolicy: "Background" });
    const { name, namespace } = some.metadata;
    await this.#api.create(DEPLOYMENTS, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace },
      spec: some.spec,
      status: {},
    } as Deployment);
  }

  async #cordon(): Promise<void> {
    const nodes = this.#api.all<KubeObject & { spec: { unschedulable?: boolean } }>(NODES);
    const some = this.#random.pick(nodes);
    if (some)
      await this.#api.patch(NODES, some.metadata, "merge", {
        spec: { unschedulable: some.spec.unschedulable ? null : true },
      });
  }
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

const budget = (app: string, spec: object): KubeObject =>
  object("policy/v1", "PodDisruptionBudget", app, {
    metadata: { name: app, namespace: "default" },
    spec: { selector: { matchLabels: { app } }, ...spec },
  }).build();

const autoscaler = (): KubeObject =>
  object("autoscaling/v2", "HorizontalPodAutoscaler", AUTOSCALED, {
    metadata: { name: AUTOSCALED, namespace: "default" },
    spec: {
      minReplicas: 1,
      maxReplicas: MAX_REPLICAS,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: AUTOSCALED },
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
    },
  }).build();

function withSchedule(name: string, schedule: string, more: Partial<CronJob["spec"]>): CronJob {
  const built = cronJob(name, schedule).with({ spec: more }).build();
  built.spec.jobTemplate.spec!.template.spec!.containers = [container("main", CPU)];
  return built;
}
