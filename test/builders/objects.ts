/**
 * Objects for tests: each builder starts with the least its kind needs, is changed by saying what matters to a test,
 * and gives a plain object with `.build()`. `with` merges anything else in.
 *
 *     pod("web-0").onNode("n1").ready().build()
 */
import type { KubeObject, OwnerReference } from "../../shared/api/object.ts";
import type {
  Container,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
  Service,
  StatefulSet,
} from "../../shared/api/types.ts";

/** A fixed moment, so that results can be compared. */
export const T0 = "2026-01-01T00:00:00Z";

type Deep<T> = T extends (infer _)[] ? T : T extends object ? { [K in keyof T]?: Deep<T[K]> } : T;

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function merge(target: Record<string, unknown>, changes: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(changes)) {
    const own = target[key];
    if (isPlain(own) && isPlain(value)) merge(own, value);
    else target[key] = structuredClone(value);
  }
}

let uids = 0;

/** Common to all kinds. Every method changes the builder and gives it back. */
export class ObjectBuilder<T extends KubeObject> {
  protected readonly object: T;

  constructor(object: T) {
    this.object = object;
    uids += 1;
    object.metadata.uid ??= `00000000-0000-4000-8000-${String(uids).padStart(12, "0")}`;
    object.metadata.creationTimestamp ??= T0;
  }

  with(changes: Deep<T>): this {
    merge(this.object as Record<string, unknown>, changes as Record<string, unknown>);
    return this;
  }

  in(namespace: string): this {
    this.object.metadata.namespace = namespace;
    return this;
  }

  uid(uid: string): this {
    this.object.metadata.uid = uid;
    return this;
  }

  labelled(labels: Record<string, string>): this {
    this.object.metadata.labels = { ...this.object.metadata.labels, ...labels };
    return this;
  }

  annotated(annotations: Record<string, string>): this {
    this.object.metadata.annotations = { ...this.object.metadata.annotations, ...annotations };
    return this;
  }

  createdAt(time: string): this {
    this.object.metadata.creationTimestamp = time;
    return this;
  }

  /** Controlled by `owner`, as the controllers do it. */
  ownedBy(owner: KubeObject): this {
    const { apiVersion = "v1", kind = "", metadata } = owner;
    const reference: OwnerReference = {
      apiVersion,
      kind,
      name: metadata.name,
      uid: metadata.uid ?? "",
      controller: true,
      blockOwnerDeletion: true,
    };
    this.object.metadata.ownerReferences = [...(this.object.metadata.ownerReferences ?? []), reference];
    return this;
  }

  /** On its way out, held by its finalizers or its grace period. */
  deleting(at = T0, graceSeconds?: number): this {
    this.object.metadata.deletionTimestamp = at;
    if (graceSeconds !== undefined) this.object.metadata.deletionGracePeriodSeconds = graceSeconds;
    return this;
  }

  build(): T {
    return structuredClone(this.object);
  }
}

export function container(name = "main", changes: Partial<Container> = {}): Container {
  return { name, image: "registry.test/app:1", ...changes };
}

const podSpec = () => ({
  containers: [container()],
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
});

export class PodBuilder extends ObjectBuilder<Pod> {
  onNode(nodeName: string): this {
    return this.with({ spec: { nodeName } });
  }

  containers(...containers: Container[]): this {
    return this.with({ spec: { containers } });
  }

  phase(phase: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown"): this {
    return this.with({ status: { phase } });
  }

  ip(podIP: string): this {
    return this.with({ status: { podIP, podIPs: [{ ip: podIP }] } });
  }

  /** Running, with every container started; `at`: when it became ready. */
  ready(at = T0): this {
    return this.running(true, at);
  }

  notReady(at = T0): this {
    return this.running(false, at);
  }

  condition(type: string, status: "True" | "False" | "Unknown", at = T0): this {
    const others = (this.object.status?.conditions ?? []).filter((condition) => condition.type !== type);
    return this.with({ status: { conditions: [...others, { type, status, lastTransitionTime: at }] } });
  }

  private running(ready: boolean, at: string): this {
    const containers = this.object.spec?.containers ?? [];
    this.with({
      status: {
        phase: "Running",
        startTime: at,
        containerStatuses: containers.map(({ name, image = "" }) => ({
          name,
          image,
          imageID: "",
          ready,
          started: true,
          restartCount: 0,
          state: { running: { startedAt: at } },
        })),
      },
    });
    for (const type of ["PodScheduled", "Initialized"]) this.condition(type, "True", at);
    for (const type of ["ContainersReady", "Ready"]) this.condition(type, ready ? "True" : "False", at);
    return this;
  }
}

export const pod = (name: string) =>
  new PodBuilder({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: podSpec(),
    status: { phase: "Pending" },
  });

export class NodeBuilder extends ObjectBuilder<Node> {
  ready(at = T0): this {
    return this.readiness("True", at);
  }

  notReady(at = T0): this {
    return this.readiness("False", at);
  }

  capacity(capacity: Record<string, string>): this {
    return this.with({ status: { capacity, allocatable: capacity } });
  }

  tainted(key: string, effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute", value?: string): this {
    const taint = { key, effect, ...(value === undefined ? {} : { value }) };
    return this.with({ spec: { taints: [...(this.object.spec?.taints ?? []), taint] } });
  }

  unschedulable(): this {
    return this.with({ spec: { unschedulable: true } });
  }

  private readiness(status: string, at: string): this {
    const condition = { type: "Ready", status, lastHeartbeatTime: at, lastTransitionTime: at };
    return this.with({ status: { conditions: [condition] } });
  }
}

/** With room for a few pods. */
export const node = (name: string) =>
  new NodeBuilder({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    spec: {},
    status: {},
  }).capacity({ cpu: "4", memory: "8Gi", pods: "110" });

type Workload = Deployment | ReplicaSet | StatefulSet;

/** Kinds that keep a number of equal pods. */
export class WorkloadBuilder<T extends Workload> extends ObjectBuilder<T> {
  replicas(replicas: number): this {
    this.object.spec.replicas = replicas;
    return this;
  }

  image(image: string): this {
    const [first] = this.object.spec.template?.spec?.containers ?? [];
    if (first) first.image = image;
    return this;
  }
}

const workloadMeta = (name: string) => ({ name, namespace: "default", generation: 1 });
/** A template and the selector that finds its pods: both by the workload's name. */
const selected = (app: string) => ({
  selector: { matchLabels: { app } },
  template: { metadata: { labels: { app } }, spec: podSpec() },
});

export const deployment = (name: string) =>
  new WorkloadBuilder<Deployment>({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: workloadMeta(name),
    spec: {
      replicas: 1,
      ...selected(name),
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    },
    status: {},
  });

export const replicaSet = (name: string) =>
  new WorkloadBuilder<ReplicaSet>({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: workloadMeta(name),
    spec: { replicas: 1, ...selected(name) },
    status: { replicas: 0 },
  });

export const statefulSet = (name: string) =>
  new WorkloadBuilder<StatefulSet>({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: workloadMeta(name),
    spec: { replicas: 1, serviceName: name, ...selected(name), podManagementPolicy: "OrderedReady" },
    status: { replicas: 0 },
  });

export const daemonSet = (name: string) =>
  new ObjectBuilder<DaemonSet>({
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: workloadMeta(name),
    spec: selected(name),
    status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  });

export const controllerRevision = (name: string, revision: number, data: unknown = {}) =>
  new ObjectBuilder<ControllerRevision>({
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: { name, namespace: "default" },
    data,
    revision,
  });

export const job = (name: string) =>
  new ObjectBuilder<Job>({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: workloadMeta(name),
    spec: {
      ...selected(name),
      template: { metadata: { labels: { app: name } }, spec: { ...podSpec(), restartPolicy: "Never" } },
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
    },
    status: {},
  });

/** Keeps one Job of those that ended well, and one of those that did not. */
export const cronJob = (name: string, schedule: string) =>
  new ObjectBuilder<CronJob>({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name, namespace: "default" },
    spec: {
      schedule,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        spec: {
          completions: 1,
          parallelism: 1,
          backoffLimit: 2,
          template: {
            metadata: { labels: { app: name } },
            spec: { restartPolicy: "Never", containers: [container()] },
          },
        },
      },
    },
    status: {},
  });

/** A cluster service on port 80 for pods labelled `app: <name>`. */
export const service = (name: string) =>
  new ObjectBuilder<Service>({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: {
      type: "ClusterIP",
      clusterIP: "10.96.0.10",
      clusterIPs: ["10.96.0.10"],
      selector: { app: name },
      ports: [{ port: 80, targetPort: 80, protocol: "TCP" }],
    },
    status: { loadBalancer: {} },
  });

export const namespace = (name: string) =>
  new ObjectBuilder<Namespace>({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  });

/** Any other kind. */
export const object = (apiVersion: string, kind: string, name: string, rest: Record<string, unknown> = {}) =>
  new ObjectBuilder<KubeObject>({ apiVersion, kind, metadata: { name }, ...rest });
