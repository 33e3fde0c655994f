import type { ChangeBatch } from "../../../control-plane/storage/interface.ts";
import { DAEMON_SETS, DEPLOYMENTS, NODES, PODS, REPLICA_SETS, STATEFUL_SETS } from "../../../shared/api/refs.ts";
import { matchesLabelSelector } from "../../../shared/api/selector.ts";
import type {
  DaemonSet,
  Deployment,
  Node,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  StatefulSet,
} from "../../../shared/api/types.ts";
import type { SimApi } from "../sim-api.ts";
import { BEHIND_MS, RecentNumbers } from "./recently.ts";

const OWNERS = new Set(["replicaset-controller", "statefulset-controller", "daemon-set-controller"]);

export const ownerOf = ({ metadata }: Pod | ReplicaSet): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller)?.uid;

const isAvailable = ({ metadata, status }: Pod): boolean =>
  !metadata.deletionTimestamp &&
  status?.phase === "Running" &&
  !!status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");

/** A share of pods, or so many of them. */
function amount(value: number | string, replicas: number, round: (value: number) => number): number {
  return typeof value === "number" ? value : round((replicas * Number.parseInt(value, 10)) / 100);
}

/** @see the API of DeploymentStrategy: a Deployment that may do neither could do nothing */
export function fenceOf({ replicas = 1, strategy }: Deployment["spec"]): { most: number; least: number } {
  if (strategy?.type === "Recreate") return { most: replicas, least: 0 };
  const { maxSurge = "25%", maxUnavailable = "25%" } = strategy?.rollingUpdate ?? {};
  const surge = amount(maxSurge, replicas, Math.ceil);
  const unavailable = amount(maxUnavailable, replicas, Math.floor) || Number(surge === 0);
  return { most: replicas + surge, least: replicas - Math.min(unavailable, replicas) };
}

/**
 * Daemon pods are not made for a node that nobody hears of: they stand the NoExecute taint of that, and stay, but not the
 * NoSchedule one. A cordon they do not mind.
 */
const takesDaemonPods = ({ spec }: Node): boolean =>
  !spec?.taints?.some(({ key, effect }) => effect === "NoSchedule" && key !== "node.kubernetes.io/unschedulable");

/** That nobody takes down a pod which is needed, as far as whoever does it could know. */
export class Availability {
  readonly #api: SimApi;
  readonly #say: (violation: string) => void;
  /** By uid of a pod, when it was available last (epoch ms); infinite while it is. */
  readonly #availableMs = new Map<string, number>();
  /** By uid, pods that their controllers took down, and those that were evicted: whoever did it knows. */
  readonly #takenDown = new Set<string>();
  readonly #evicted = new Set<string>();
  /** By key, pods as they were last, and those that went of late. */
  readonly #known = new Map<string, Pod>();
  #gone: { pod: Pod; atMs: number }[] = [];
  readonly #least = new RecentNumbers();
  readonly #replicas = new RecentNumbers();
  /** By name of each node that there ever was: 1 while daemon pods are made for it, else 0. */
  readonly #open = new RecentNumbers();
  readonly #nodes = new Set<string>();

  constructor(api: SimApi, say: (violation: string) => void) {
    this.#api = api;
    this.#say = say;
  }

  /** A pod counts until the moment at which it is available no more. */
  onBatch({ resource, changes }: ChangeBatch): void {
    if (resource === PODS.resource) for (const { key } of changes) this.#onPod(key);
    else if (resource === NODES.resource) this.#onNodes();
    else if (resource === DEPLOYMENTS.resource || resource === STATEFUL_SETS.resource) this.#onWorkloads();
  }

  #onPod(key: string): void {
    const pod = this.#api.find<Pod>(PODS, key);
    const before = this.#known.get(key);
    if (before && before.metadata.uid !== pod?.metadata.uid) this.#leave(before);
    if (!pod) {
      this.#known.delete(key);
      return;
    }
    this.#known.set(key, pod);
    const { uid = "" } = pod.metadata;
    if (isAvailable(pod)) this.#availableMs.set(uid, Number.POSITIVE_INFINITY);
    else if (this.#availableMs.get(uid) === Number.POSITIVE_INFINITY) this.#availableMs.set(uid, Date.now());
  }

  #leave(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    if (this.#availableMs.get(uid) === Number.POSITIVE_INFINITY) this.#availableMs.set(uid, Date.now());
    this.#gone = [...this.#gone, { pod, atMs: Date.now() }].filter(({ atMs }) => Date.now() - atMs <= BEHIND_MS);
  }

  /** All pods that somebody may take for available, save those that were deleted by whoever asks. */
  #available(excluded: ReadonlySet<string>): Pod[] {
    const wasAvailable = ({ metadata: { uid = "" } }: Pod) =>
      !excluded.has(uid) && Date.now() - (this.#availableMs.get(uid) ?? 0) <= BEHIND_MS;
    return [...this.#known.values(), ...this.#gone.map(({ pod }) => pod)].filter(wasAvailable);
  }

  #onNodes(): void {
    const nodes = this.#api.all<Node>(NODES);
    for (const { metadata } of nodes) this.#nodes.add(metadata.name);
    const open = new Set(nodes.filter(takesDaemonPods).map(({ metadata }) => metadata.name));
    for (const name of this.#nodes) this.#open.see(name, Number(open.has(name)), Date.now());
  }

  #onWorkloads(): void {
    const nowMs = Date.now();
    for (const { metadata, spec } of this.#api.all<Deployment>(DEPLOYMENTS))
      this.#least.see(metadata.uid ?? "", fenceOf(spec).least, nowMs);
    for (const { metadata, spec } of this.#api.all<StatefulSet>(STATEFUL_SETS))
      this.#replicas.see(metadata.uid ?? "", spec.replicas ?? 1, nowMs);
  }

  /** A pod is about to be deleted. @param by who does it */
  onDelete(pod: Pod, by = ""): void {
    if (isAvailable(pod)) {
      if (by === "replicaset-controller") this.#byReplicaSet(pod);
      else if (by === "statefulset-controller") this.#byStatefulSet(pod);
      else if (by === "daemon-set-controller") this.#byDaemonSet(pod);
    }
    if (OWNERS.has(by)) this.#takenDown.add(pod.metadata.uid ?? "");
  }

  onEviction(pod: Pod, budget: PodDisruptionBudget | undefined): void {
    const { uid = "" } = pod.metadata;
    this.#evicted.add(uid);
    if (!budget) return;
    const healthy = this.#available(this.#evicted).filter(
      ({ metadata }) =>
        metadata.namespace === budget.metadata.namespace && matchesLabelSelector(budget.spec.selector, metadata.labels),
    ).length;
    const { minAvailable, maxUnavailable } = budget.spec;
    const controllers = new Set(
      this.#api
        .all<StatefulSet>(STATEFUL_SETS)
        .filter(({ metadata }) => metadata.uid === ownerOf(pod))
        .map(({ metadata }) => metadata.uid ?? ""),
    );
    const replicas = Math.min(...[...controllers].flatMap((owner) => this.#replicas.of(owner)));
    const least = typeof minAvailable === "number" ? minAvailable : replicas - Number(maxUnavailable ?? 0);
    if (healthy < least) this.#say(`budget ${budget.metadata.name} has ${healthy} of ${least} pods after an eviction`);
  }

  #byReplicaSet(pod: Pod): void {
    const sets = this.#api.all<ReplicaSet>(REPLICA_SETS);
    const deployment = ownerOf(sets.find(({ metadata }) => metadata.uid === ownerOf(pod)) ?? pod);
    const least = Math.min(...this.#least.of(deployment ?? ""));
    if (least === Number.POSITIVE_INFINITY) return;
    const own = new Set(sets.filter((set) => ownerOf(set) === deployment).map(({ metadata }) => metadata.uid));
    const left = this.#available(this.#takenDown).filter(
      (other) => other.metadata.uid !== pod.metadata.uid && own.has(ownerOf(other)),
    ).length;
    if (left < least) this.#say(`deployment of ${pod.metadata.name} is left with ${left} available pods of ${least}`);
  }

  /** An update in order goes pod by pod; a parallel one only waits for those that it has updated. */
  #byStatefulSet(pod: Pod): void {
    const owner = ownerOf(pod) ?? "";
    const set = this.#api.all<StatefulSet>(STATEFUL_SETS).find(({ metadata }) => metadata.uid === owner);
    if (set?.spec.podManagementPolicy === "Parallel") return;
    const least = Math.min(...this.#replicas.of(owner));
    const ordinalOf = ({ metadata }: Pod) => Number(metadata.name.slice(metadata.name.lastIndexOf("-") + 1));
    if (least === Number.POSITIVE_INFINITY || ordinalOf(pod) >= least) return;
    const names = this.#available(this.#takenDown)
      .filter((other) => ownerOf(other) === owner && ordinalOf(other) < least)
      .map(({ metadata }) => metadata.name);
    const left = new Set(names.filter((name) => name !== pod.metadata.name)).size;
    if (left < least - 1)
      this.#say(`statefulset of ${pod.metadata.name} is left with ${left} available pods of ${least}`);
  }

  /** A node for which no pod is made, or of late was not, is missed by nobody who updates the others. */
  #byDaemonSet(pod: Pod): void {
    const owner = ownerOf(pod);
    const set = this.#api.all<DaemonSet>(DAEMON_SETS).find(({ metadata }) => metadata.uid === owner);
    if (!set) return;
    const allowed = Number(set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1);
    const pods = this.#available(this.#takenDown).filter(
      (other) => other.metadata.uid !== pod.metadata.uid && ownerOf(other) === owner,
    );
    const isServed = (node: string) => pods.some((other) => other.spec.nodeName === node);
    if (isServed(pod.spec.nodeName ?? "")) return;
    if (!this.#api.find(NODES, pod.spec.nodeName ?? "")) return;
    const without = [...this.#nodes].filter((node) => Math.min(...this.#open.of(node)) === 1 && !isServed(node)).length;
    if (without > allowed) this.#say(`daemonset ${set.metadata.name} leaves ${without} nodes without a pod`);
  }
}
