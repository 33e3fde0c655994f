import type { KubeObject } from "../../shared/api/object.ts";
import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  NODES,
  PODS,
  REPLICA_SETS,
  STATEFUL_SETS,
} from "../../shared/api/refs.ts";
import type { Deployment, Job, Node, Pod, ReplicaSet } from "../../shared/api/types.ts";
import type { SimApi } from "./sim-api.ts";

const CPU_MILLI = (quantity: string | undefined) =>
  quantity === undefined ? 0 : quantity.endsWith("m") ? Number(quantity.slice(0, -1)) : 1_000 * Number(quantity);

const MAX_VIOLATIONS = 20;
/** How long the controller may take to see a spec: it may be dead, and the feed late. */
const SETTLE_MS = 120_000;

const uidOf = ({ uid = "" }: { uid?: string }): string => uid;

const ownerOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller)?.uid;

/** maxSurge of a Deployment in pods; percentages are rounded up. */
function surgeOf({ replicas = 1, strategy }: Deployment["spec"]): number {
  if (strategy?.type === "Recreate") return 0;
  const surge = strategy?.rollingUpdate?.maxSurge ?? "25%";
  return typeof surge === "number" ? surge : Math.ceil((replicas * Number.parseInt(surge, 10)) / 100);
}

/**
 * What must hold after every write, whatever went wrong. Each violation is a sentence; `check` is called with what the
 * state was judged by before.
 */
export class Invariants {
  readonly violations: string[] = [];
  readonly #api: SimApi;
  /** By uid of a pod, the node that it was bound to. */
  readonly #boundTo = new Map<string, string>();
  /** By key and uid of a Job, the highest counts that its status told. */
  readonly #counted = new Map<string, { succeeded: number; failed: number }>();
  /** By uid of a Deployment, the most pods that one of its specs of late allowed, and until when that counts. */
  readonly #allowed = new Map<string, { pods: number; untilMs: number }[]>();

  constructor(api: SimApi) {
    this.#api = api;
  }

  check(): void {
    this.#podsStayBound();
    this.#nodesAreNotOvercommitted();
    this.#surgeIsKept();
    this.#countsOnlyGrow();
  }

  /** What must hold once nothing changes any more and nothing goes wrong. */
  checkEnd(): void {
    this.check();
    this.#nothingIsOrphaned();
    this.#everythingIsThere();
    this.#jobsAreExact();
  }

  /** Each once, at its first. */
  #say(violation: string): void {
    if (this.violations.length >= MAX_VIOLATIONS || this.violations.some((said) => said.endsWith(` ${violation}`)))
      return;
    this.violations.push(`${new Date().toISOString()} ${violation}`);
  }

  #podsStayBound(): void {
    for (const { metadata, spec } of this.#api.all<Pod>(PODS)) {
      if (!spec.nodeName) continue;
      const before = this.#boundTo.get(uidOf(metadata));
      if (before === undefined) this.#boundTo.set(uidOf(metadata), spec.nodeName);
      else if (before !== spec.nodeName) this.#say(`pod ${metadata.name} was bound twice: ${before}, ${spec.nodeName}`);
    }
  }

  #nodesAreNotOvercommitted(): void {
    const used = new Map<string, { cpu: number; pods: number }>();
    for (const pod of this.#api.all<Pod>(PODS)) {
      const { nodeName, containers } = pod.spec;
      if (!nodeName || isPodTerminal(pod)) continue;
      const sum = used.get(nodeName) ?? { cpu: 0, pods: 0 };
      sum.pods += 1;
      for (const { resources } of containers) sum.cpu += CPU_MILLI(resources?.requests?.["cpu"]);
      used.set(nodeName, sum);
    }
    for (const { metadata, status } of this.#api.all<Node>(NODES)) {
      const { cpu = 0, pods = 0 } = used.get(metadata.name) ?? {};
      const room = status?.allocatable ?? {};
      if (cpu > CPU_MILLI(room["cpu"])) this.#say(`node ${metadata.name} has ${cpu}m of CPU requested`);
      if (pods > Number(room["pods"] ?? 0)) this.#say(`node ${metadata.name} has ${pods} pods`);
    }
  }

  /** The ReplicaSets of a Deployment never ask for more than maxSurge over what it wanted lately. */
  #surgeIsKept(): void {
    const nowMs = Date.now();
    const sets = this.#api.all<ReplicaSet>(REPLICA_SETS);
    for (const { metadata, spec } of this.#api.all<Deployment>(DEPLOYMENTS)) {
      const allowed = this.#allowed.get(uidOf(metadata)) ?? [];
      const pods = (spec.replicas ?? 1) + surgeOf(spec);
      if (allowed.at(-1)?.pods !== pods) {
        // What was asked for before may still be in the ReplicaSets, until the controller has seen the new spec.
        for (const each of allowed) each.untilMs = Math.min(each.untilMs, nowMs + SETTLE_MS);
        allowed.push({ pods, untilMs: Number.POSITIVE_INFINITY });
      }
      this.#allowed.set(
        uidOf(metadata),
        allowed.filter(({ untilMs }) => untilMs >= nowMs),
      );
      const most = Math.max(...allowed.map((each) => each.pods));
      const asked = sets
        .filter((set) => ownerOf(set) === metadata.uid)
        .reduce((sum, set) => sum + (set.spec.replicas ?? 0), 0);
      if (asked > most) this.#say(`deployment ${metadata.name} asks for ${asked} pods; at most ${most} are allowed`);
    }
  }

  #countsOnlyGrow(): void {
    for (const { metadata, status } of this.#api.all<Job>(JOBS)) {
      const { succeeded = 0, failed = 0 } = status ?? {};
      const before = this.#counted.get(uidOf(metadata)) ?? { succeeded: 0, failed: 0 };
      if (succeeded < before.succeeded || failed < before.failed) {
        this.#say(`job ${metadata.name} counts ${succeeded}/${failed} after ${before.succeeded}/${before.failed}`);
      }
      this.#counted.set(uidOf(metadata), { succeeded, failed });
    }
  }

  #nothingIsOrphaned(): void {
    const owned = [PODS, REPLICA_SETS, JOBS].flatMap((ref) => this.#api.all(ref));
    const owners = [DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS, DAEMON_SETS, JOBS, CRON_JOBS].flatMap((ref) =>
      this.#api.all(ref),
    );
    const uids = new Set(owners.map(({ metadata }) => metadata.uid));
    for (const object of owned) {
      const owner = ownerOf(object);
      if (owner !== undefined && !uids.has(owner))
        this.#say(`${object.metadata.name} lost its owner and is still there`);
    }
  }

  #everythingIsThere(): void {
    const pods = this.#api.all<Pod>(PODS).filter((pod) => !isPodTerminal(pod));
    const readyOf = (uid: string | undefined) =>
      pods.filter((pod) => ownerOf(pod) === uid && pod.status?.phase === "Running" && !pod.metadata.deletionTimestamp);
    for (const set of this.#api.all<ReplicaSet>(REPLICA_SETS)) {
      const { length } = readyOf(set.metadata.uid);
      if (length !== set.spec.replicas)
        this.#say(`replicaset ${set.metadata.name} has ${length} of ${set.spec.replicas} pods`);
    }
    for (const { metadata, spec } of this.#api.all<Deployment>(DEPLOYMENTS)) {
      const sets = this.#api.all<ReplicaSet>(REPLICA_SETS).filter((set) => ownerOf(set) === metadata.uid);
      const asked = sets.reduce((sum, set) => sum + (set.spec.replicas ?? 0), 0);
      if (asked !== (spec.replicas ?? 1))
        this.#say(`deployment ${metadata.name} asks for ${asked} of ${spec.replicas}`);
      const image = spec.template.spec?.containers[0]?.image;
      const isCurrent = (set: ReplicaSet) => set.spec.template?.spec?.containers[0]?.image === image;
      if (!spec.paused && sets.some((set) => set.spec.replicas && !isCurrent(set)))
        this.#say(`deployment ${metadata.name} still runs an older template`);
    }
    for (const set of this.#api.all<KubeObject & { spec: { replicas?: number } }>(STATEFUL_SETS)) {
      const names = readyOf(set.metadata.uid)
        .map((pod) => pod.metadata.name)
        .sort();
      const want = Array.from({ length: set.spec.replicas ?? 1 }, (_, i) => `${set.metadata.name}-${i}`).sort();
      if (names.join() !== want.join()) this.#say(`statefulset ${set.metadata.name} has ${names.join() || "no pods"}`);
    }
    for (const { metadata } of this.#api.all(DAEMON_SETS)) {
      const nodes = readyOf(metadata.uid)
        .map((pod) => pod.spec.nodeName)
        .sort();
      const want = this.#api
        .all<Node>(NODES)
        .map((node) => node.metadata.name)
        .sort();
      if (nodes.join() !== want.join()) this.#say(`daemonset ${metadata.name} runs on ${nodes.join() || "no node"}`);
    }
  }

  #jobsAreExact(): void {
    for (const { metadata, spec, status } of this.#api.all<Job>(JOBS)) {
      const end = status?.conditions?.find(
        ({ type, status: is }) => (type === "Complete" || type === "Failed") && is === "True",
      );
      if (!end) this.#say(`job ${metadata.name} has not ended`);
      else if (end.type === "Complete" && status?.succeeded !== spec.completions)
        this.#say(`job ${metadata.name} is complete with ${status?.succeeded} of ${spec.completions}`);
      else if (end.type === "Failed" && (status?.failed ?? 0) <= (spec.backoffLimit ?? 6))
        this.#say(`job ${metadata.name} failed after ${status?.failed} of ${spec.backoffLimit} retries`);
      if (status?.uncountedTerminatedPods?.succeeded?.length || status?.uncountedTerminatedPods?.failed?.length)
        this.#say(`job ${metadata.name} has pods that are not counted`);
    }
  }
}
