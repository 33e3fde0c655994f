import * as k8s from "@kubernetes/client-node";
import type { Pod } from "../../shared/api/types.ts";
import type { OwnCluster } from "./own-cluster.ts";
import { waitFor } from "./wait-for.ts";

/**
 * The annotation of a pod that tells what becomes of it on a played node. Without it the pod becomes ready at once.
 * `runs` never becomes ready, `waits` never starts, `exits <code>` starts and ends at once, `stays` is ready and does not go
 * when it is deleted. A test may write statuses on top of each, since a pod is reported on only once.
 */
export const PLAYED = "played-node/pod";

export interface NodeFields {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  taints?: k8s.V1Taint[];
  /** What the node has for pods, over 4 CPUs, 8 GiB and 110 pods. */
  resources?: Record<string, string>;
  images?: { names: string[]; sizeBytes: number }[];
}

const RENEW_MS = 10_000;
const MERGE = k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.MergePatch);

/** Nodes without a machine: objects with leases, on which pods start, end and go as a kubelet reports it, at once. */
export class PlayedNodes {
  readonly #core: k8s.CoreV1Api;
  readonly #leases: k8s.CoordinationV1Api;
  readonly #informer: k8s.Informer<k8s.V1Pod> & k8s.ObjectCache<k8s.V1Pod>;
  readonly #renewals: NodeJS.Timeout;
  readonly #names = new Set<string>();
  /** Uids with what was done for them: a pod's start is reported once, and its end. */
  readonly #done = new Map<string, Set<"start" | "end">>();
  #addresses = 0;
  #isStopped = false;

  private constructor(config: k8s.KubeConfig) {
    this.#core = config.makeApiClient(k8s.CoreV1Api);
    this.#leases = config.makeApiClient(k8s.CoordinationV1Api);
    this.#informer = k8s.makeInformer(config, "/api/v1/pods", () => this.#core.listPodForAllNamespaces());
    for (const event of ["add", "update"] as const) this.#informer.on(event, (pod) => this.#look(pod as Pod));
    this.#informer.on("delete", ({ metadata }) => this.#done.delete(metadata?.uid ?? ""));
    this.#informer.on("error", () => {
      if (!this.#isStopped) setTimeout(() => void this.#informer.start(), 100);
    });
    this.#renewals = setInterval(() => {
      for (const name of this.#names) this.#renew(name).catch(this.#ignoreGone);
    }, RENEW_MS);
  }

  static async start(cluster: OwnCluster): Promise<PlayedNodes> {
    const config = new k8s.KubeConfig();
    config.loadFromFile(cluster.kubeconfigFile);
    const nodes = new PlayedNodes(config);
    await nodes.#informer.start();
    return nodes;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#renewals);
    await this.#informer.stop();
  }

  /** A new node, Ready and without the taint that new nodes have. */
  async add(name: string, { labels, annotations, taints, resources, images }: NodeFields = {}): Promise<void> {
    const capacity = { cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": "20Gi", ...resources };
    await this.#core.createNode({
      body: {
        metadata: {
          name,
          annotations,
          labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", ...labels },
        },
        spec: { taints },
        status: { capacity, allocatable: capacity, conditions: conditions(), images },
      },
    });
    const holder = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: new k8s.V1MicroTime() };
    await this.#leases.createNamespacedLease({
      namespace: "kube-node-lease",
      body: { metadata: { name }, spec: holder },
    });
    this.#names.add(name);
    await waitFor(`${name} to take pods`, async () => {
      const { spec } = await this.#core.readNode({ name });
      return !spec?.taints?.some(({ key }) => key === "node.kubernetes.io/not-ready");
    });
  }

  async remove(...names: string[]): Promise<void> {
    for (const name of names) {
      this.#names.delete(name);
      await this.#core.deleteNode({ name });
      await this.#leases.deleteNamespacedLease({ name, namespace: "kube-node-lease" });
    }
  }

  async #renew(name: string): Promise<void> {
    const body = { spec: { renewTime: new k8s.V1MicroTime() } };
    await this.#leases.patchNamespacedLease({ name, namespace: "kube-node-lease", body }, MERGE);
  }

  #look(pod: Pod): void {
    if (!this.#names.has(pod.spec.nodeName ?? "")) return;
    const { uid = "", deletionTimestamp } = pod.metadata;
    const done = this.#done.get(uid) ?? new Set();
    this.#done.set(uid, done);
    const next = deletionTimestamp ? "end" : "start";
    if (done.has(next)) return;
    done.add(next);
    (next === "end" ? this.#end(pod) : this.#begin(pod)).catch(this.#ignoreGone);
  }

  async #begin(pod: Pod): Promise<void> {
    const played = pod.metadata.annotations?.[PLAYED] ?? "";
    if (played === "waits" || pod.status?.phase !== "Pending") return;
    const isReady = played === "" || played === "stays";
    await this.#report(pod, {
      phase: "Running",
      podIP: `10.244.200.${(this.#addresses++ % 250) + 1}`,
      startTime: new Date().toISOString(),
      conditions: podConditions(isReady),
      containerStatuses: containers(pod, isReady, { running: { startedAt: new Date().toISOString() } }),
    });
    const exit = /^exits (\d+)$/.exec(played);
    if (exit) await this.#exit(pod, Number(exit[1]));
  }

  async #end(pod: Pod): Promise<void> {
    if (pod.metadata.annotations?.[PLAYED] === "stays") return;
    const { phase = "" } = pod.status ?? {};
    if (phase === "Running") await this.#exit(pod, 143).catch(this.#ignoreGone);
    const { name, namespace = "", uid } = pod.metadata;
    await this.#core.deleteNamespacedPod({ name, namespace, body: { gracePeriodSeconds: 0, preconditions: { uid } } });
  }

  #exit(pod: Pod, exitCode: number): Promise<void> {
    const terminated = { exitCode, reason: exitCode ? "Error" : "Completed", finishedAt: new Date().toISOString() };
    return this.#report(pod, {
      phase: exitCode ? "Failed" : "Succeeded",
      conditions: podConditions(false, pod.status?.conditions),
      containerStatuses: containers(pod, false, { terminated }),
    });
  }

  /** What was to be reported on may be gone, or another of its name be there; in the end, the whole cluster. */
  readonly #ignoreGone = (error: unknown): void => {
    const { code } = error as { code?: number };
    if (!this.#isStopped && code !== 404 && code !== 409) throw error;
  };

  async #report({ metadata: { name, namespace = "", uid } }: Pod, status: object): Promise<void> {
    await this.#core.patchNamespacedPodStatus({ name, namespace, body: { metadata: { uid }, status } }, MERGE);
  }
}

/** Those of a node's kubelet. */
function conditions(): k8s.V1NodeCondition[] {
  const now = new Date();
  const of = (type: string, status: string, reason: string) => ({
    type,
    status,
    reason,
    message: "",
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  return [
    of("MemoryPressure", "False", "KubeletHasSufficientMemory"),
    of("DiskPressure", "False", "KubeletHasNoDiskPressure"),
    of("PIDPressure", "False", "KubeletHasSufficientPID"),
    of("Ready", "True", "KubeletReady"),
  ];
}

/** @param others the conditions that are there: those that are not the kubelet's stay */
function podConditions(isReady: boolean, others: readonly { type: string }[] = []): object[] {
  const lastTransitionTime = new Date().toISOString();
  const status = isReady ? "True" : "False";
  const own = [
    { type: "Initialized", status: "True", lastTransitionTime },
    { type: "Ready", status, lastTransitionTime },
    { type: "ContainersReady", status, lastTransitionTime },
    { type: "PodScheduled", status: "True", lastTransitionTime },
  ];
  return [...own, ...others.filter(({ type }) => !own.some((condition) => condition.type === type))];
}

const containers = (pod: Pod, ready: boolean, state: object) =>
  pod.spec.containers.map(({ name, image = "" }) => ({
    name,
    image,
    imageID: `played/${image}`,
    ready,
    started: ready,
    restartCount: 0,
    state,
  }));
