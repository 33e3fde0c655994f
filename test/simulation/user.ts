import type { KubeObject } from "../../shared/api/object.ts";
import { CRON_JOBS, DAEMON_SETS, DEPLOYMENTS, JOBS, NODES, STATEFUL_SETS } from "../../shared/api/refs.ts";
import type { CronJob, Deployment, StatefulSet } from "../../shared/api/types.ts";
import { container, daemonSet, deployment, job, object, statefulSet } from "../builders/objects.ts";
import type { Random } from "./random.ts";
import type { SimApi } from "./sim-api.ts";

const CPU = { resources: { requests: { cpu: "200m" } } };
const MAX_REPLICAS = 6;
const MAX_JOBS = 4;

const withCpu = <T extends KubeObject>(built: T): T => {
  const { template } = (built as unknown as { spec: { template: { spec: { containers: unknown[] } } } }).spec;
  template.spec.containers = [container("main", CPU)];
  return built;
};

/** Somebody who always changes something, by lot. */
export class User {
  readonly #api: SimApi;
  readonly #random: Random;
  #serial = 0;

  constructor(api: SimApi, random: Random) {
    this.#api = api;
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
    await this.#api.create(CRON_JOBS, cronJob());
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
    ]);
    await act?.();
  }

  /** Nothing is left paused or cordoned, so that everything can come to its end. */
  async finish(): Promise<void> {
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

  async #scale(ref: typeof DEPLOYMENTS): Promise<void> {
    const some = this.#random.pick(this.#api.all<Deployment | StatefulSet>(ref));
    if (some)
      await this.#api.patch(ref, some.metadata, "merge", { spec: { replicas: this.#random.int(MAX_REPLICAS + 1) } });
  }

  async #update(ref: typeof DEPLOYMENTS): Promise<void> {
    const some = this.#random.pick(this.#api.all<Deployment>(ref));
    if (!some) return;
    const image = `registry.test/app:${++this.#serial}`;
    const template = structuredClone(some.spec.template);
    template.spec!.containers[0]!.image = image;
    await this.#api.patch(ref, some.metadata, "merge", { spec: { template } });
  }

  async #pause(): Promise<void> {
    const some = this.#random.pick(this.#api.all<Deployment>(DEPLOYMENTS));
    if (some)
      await this.#api.patch(DEPLOYMENTS, some.metadata, "merge", { spec: { paused: some.spec.paused ? null : true } });
  }

  async #startJob(): Promise<void> {
    if (this.#api.all(JOBS).length >= MAX_JOBS) return;
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
    const some = this.#random.pick(this.#api.all<Deployment>(DEPLOYMENTS));
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

function cronJob(): KubeObject {
  return object("batch/v1", "CronJob", "c0", {
    metadata: { name: "c0", namespace: "default" },
    spec: {
      schedule: "*/10 * * * *",
      concurrencyPolicy: "Forbid",
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        spec: {
          completions: 1,
          parallelism: 1,
          backoffLimit: 2,
          template: {
            metadata: { labels: { app: "c0" } },
            spec: { restartPolicy: "Never", containers: [container("main", CPU)] },
          },
        },
      },
    },
    status: {},
  }).build();
}
