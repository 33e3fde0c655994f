/**
 * What must hold in a cluster whatever goes wrong, checked at every write, and what must be so in the end. Each violation
 * is a sentence.
 */
import type { ChangeBatch } from "../../../control-plane/storage/interface.ts";
import { isPodTerminal } from "../../../shared/api/pod-phase.ts";
import { DEPLOYMENTS, EVENTS, JOBS, NODES, PODS, REPLICA_SETS, RESOURCE_QUOTAS } from "../../../shared/api/refs.ts";
import type {
  Deployment,
  Node,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ResourceQuota,
} from "../../../shared/api/types.ts";
import type { Call } from "../../builders/memory-api.ts";
import type { SimApi } from "../sim-api.ts";
import { Availability, fenceOf, ownerOf } from "./availability.ts";
import { CronSlots } from "./cron-slots.ts";
import { endViolations } from "./end.ts";
import { JobLedger } from "./job-ledger.ts";
import { RecentNumbers } from "./recently.ts";

const CPU_MILLI = (quantity: string | undefined) =>
  quantity === undefined ? 0 : quantity.endsWith("m") ? Number(quantity.slice(0, -1)) : 1_000 * Number(quantity);

/** A pod of a lost node that should have ended by now is not charged any more, as upstream counts. */
function isOver(pod: Pod): boolean {
  const { deletionTimestamp = "", deletionGracePeriodSeconds = 0 } = pod.metadata;
  return isPodTerminal(pod) || Date.parse(deletionTimestamp) + 1_000 * deletionGracePeriodSeconds < Date.now();
}

const MAX_VIOLATIONS = 20;

export class Invariants {
  readonly violations: string[] = [];
  readonly #api: SimApi;
  /** By uid of a pod, the node that it was bound to. */
  readonly #boundTo = new Map<string, string>();
  readonly #most = new RecentNumbers();
  readonly #availability: Availability;
  readonly #ledger: JobLedger;
  readonly #slots: CronSlots;

  constructor(api: SimApi) {
    this.#api = api;
    const say = (violation: string) => this.say(violation);
    this.#availability = new Availability(api, say);
    this.#ledger = new JobLedger(say);
    this.#slots = new CronSlots(api, say);
  }

  /** Before a write is carried out. */
  onCall(call: Call): void {
    if (call.verb !== "delete" || call.resource !== PODS.resource) return;
    const pod = this.#api.find<Pod>(PODS, `${call.namespace}/${call.name}`);
    if (!pod) return;
    this.#availability.onDelete(pod, call.by);
    this.#ledger.onDelete(pod, call.by);
  }

  onEviction(pod: Pod, budget: PodDisruptionBudget | undefined): void {
    this.#availability.onEviction(pod, budget);
  }

  /** After a write. */
  onBatch(batch: ChangeBatch): void {
    const { resource } = batch;
    if (resource === EVENTS.resource) return;
    this.#ledger.onBatch(batch);
    if (resource === PODS.resource || resource === NODES.resource) {
      this.#podsStayBound(batch);
      this.#nodesAreNotOvercommitted();
      this.#quotasAreKept();
    }
    if (resource === DEPLOYMENTS.resource || resource === REPLICA_SETS.resource) this.#surgeIsKept();
    if (resource === JOBS.resource) this.#slots.onJobs();
    this.#availability.onBatch(batch);
  }

  /** @param untilMs up to which the user let everything run */
  checkEnd(untilMs: number): void {
    for (const violation of endViolations(this.#api)) this.say(violation);
    this.#slots.checkEnd(untilMs);
  }

  /** Each once, at its first. */
  say(violation: string): void {
    if (this.violations.length >= MAX_VIOLATIONS || this.violations.some((said) => said.endsWith(` ${violation}`)))
      return;
    this.violations.push(`${new Date().toISOString()} ${violation}`);
  }

  #podsStayBound({ resource, changes }: ChangeBatch): void {
    if (resource !== PODS.resource) return;
    for (const { key } of changes) {
      const pod = this.#api.find<Pod>(PODS, key);
      if (!pod?.spec.nodeName) continue;
      const { uid = "", name } = pod.metadata;
      const before = this.#boundTo.get(uid);
      if (before === undefined) this.#boundTo.set(uid, pod.spec.nodeName);
      else if (before !== pod.spec.nodeName) this.say(`pod ${name} was bound twice: ${before}, ${pod.spec.nodeName}`);
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
      if (cpu > CPU_MILLI(room["cpu"])) this.say(`node ${metadata.name} has ${cpu}m of CPU requested`);
      if (pods > Number(room["pods"] ?? 0)) this.say(`node ${metadata.name} has ${pods} pods`);
    }
  }

  #quotasAreKept(): void {
    for (const { metadata, spec } of this.#api.all<ResourceQuota>(RESOURCE_QUOTAS)) {
      const pods = this.#api
        .all<Pod>(PODS)
        .filter((pod) => pod.metadata.namespace === metadata.namespace && !isOver(pod)).length;
      if (pods > Number(spec?.hard?.["pods"])) this.say(`namespace ${metadata.namespace} has ${pods} pods`);
    }
  }

  /** The ReplicaSets of a Deployment never ask for more than maxSurge over what it wanted of late. */
  #surgeIsKept(): void {
    const nowMs = Date.now();
    const sets = this.#api.all<ReplicaSet>(REPLICA_SETS);
    for (const { metadata, spec } of this.#api.all<Deployment>(DEPLOYMENTS)) {
      const most = Math.max(...this.#most.see(metadata.uid ?? "", fenceOf(spec).most, nowMs));
      const asked = sets
        .filter((set) => ownerOf(set) === metadata.uid)
        .reduce((sum, set) => sum + (set.spec.replicas ?? 0), 0);
      if (asked > most) this.say(`deployment ${metadata.name} asks for ${asked} pods; at most ${most} are allowed`);
    }
  }
}
