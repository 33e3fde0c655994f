import { isNotFound } from "../../shared/api/status.ts";
import type { Node, Pod, PodCondition } from "../../shared/api/types.ts";
import {
  type Controller,
  type ControllerDefinition,
  type ControllerDeps,
  NODES,
  PODS,
  printTime,
  requeueAfter,
} from "../runtime/index.ts";
import { ClusterState, isFinished, mayLetPodsFit } from "./cluster-state.ts";
import { type FailureReport, FailureReports } from "./failure-reports.ts";
import { decideNode } from "./framework/cycle.ts";
import { type NodeInfo, type PodInfo, podInfoOf } from "./framework/node-info.ts";
import { FILTERS, SCORES } from "./plugins/index.ts";
import { SchedulingQueue } from "./queue.ts";

export const SCHEDULER_NAME = "default-scheduler";
/** The one key of its work queue: decisions are taken one after the other. */
const CYCLE = "cycle";
/** Writes (bindings, reports) under way at once; deciding goes on meanwhile, on assumed state. */
const MAX_WRITES = 16;
/** Upstream cuts event notes there. */
const MAX_NOTE_LENGTH = 1024;

type Queued = NonNullable<ReturnType<SchedulingQueue["pop"]>>;

/** Gives pods without a node one, through the binding subresource. It never talks to a node. */
export const podScheduling: ControllerDefinition = {
  name: SCHEDULER_NAME,
  serviceAccount: "kube-scheduler",
  eventSource: SCHEDULER_NAME,
  build: (deps) => new PodScheduling(deps),
};

class PodScheduling implements Controller {
  readonly concurrency = 1;
  readonly #deps: ControllerDeps;
  readonly #cluster = new ClusterState();
  readonly #queue = new SchedulingQueue();
  readonly #reports = new FailureReports();
  readonly #writes = new Set<Promise<void>>();
  /** Where the next cycle starts in the ring of nodes. */
  #start = 0;

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
  }

  start(enqueue: (key: string) => void): void {
    const { informer, clock } = this.#deps;
    informer<Node>(NODES).onEvent((event) => {
      if (event.type === "deleted") {
        this.#cluster.removeNode(event.object.metadata.name);
        return;
      }
      this.#cluster.setNode(event.object);
      if (event.type === "updated" && !mayLetPodsFit(event.old, event.object)) return;
      this.#queue.moveAll(clock.nowMs());
      enqueue(CYCLE);
    });
    informer<Pod>(PODS).onEvent((event) => {
      const { object: pod } = event;
      // Our own report of a failure must not be taken for a reason to try again.
      if (event.type === "updated" && isSameToUs(event.old, pod)) return;
      if (event.type === "deleted") this.#forget(pod);
      else if (pod.spec?.nodeName) this.#placed(pod);
      else if (isOurs(pod)) this.#queue.add({ ...identityOf(pod), priority: pod.spec?.priority ?? 0 }, clock.nowMs());
      else this.#leave(pod);
      enqueue(CYCLE);
    });
  }

  async reconcile(): Promise<{ afterMs?: number }> {
    const { clock } = this.#deps;
    this.#queue.releaseStale(clock.nowMs());
    for (;;) {
      const nowMs = clock.nowMs();
      const isFree = this.#writes.size < MAX_WRITES;
      const next = isFree ? this.#queue.pop(nowMs) : undefined;
      const report = isFree && !next ? this.#reports.take(nowMs) : undefined;
      if (next) this.#schedule(next);
      else if (report) this.#say(report);
      else if (this.#writes.size > 0) await Promise.race(this.#writes);
      else break;
    }
    const nowMs = clock.nowMs();
    const dueMs = Math.min(...[this.#queue, this.#reports].map((part) => part.nextDueMs(nowMs) ?? Infinity));
    return requeueAfter(dueMs === Infinity ? undefined : Math.max(1, dueMs - nowMs));
  }

  #leave(pod: Pod): void {
    const { key } = identityOf(pod);
    this.#queue.remove(key);
    this.#reports.withdraw(key);
  }

  #placed(pod: Pod): void {
    this.#leave(pod);
    this.#cluster.setPod(pod);
    if (isFinished(pod)) this.#queue.moveAll(this.#deps.clock.nowMs());
  }

  #forget(pod: Pod): void {
    this.#leave(pod);
    this.#cluster.removePod(pod.metadata.uid!);
    if (pod.spec?.nodeName) this.#queue.moveAll(this.#deps.clock.nowMs());
  }

  /** One cycle; what has to be written goes on beside the next ones. */
  #schedule(queued: Queued): void {
    const pod = this.#find(queued);
    if (!pod) return;
    const info = podInfoOf(pod);
    const decision = decideNode(info, this.#cluster.nodes, {
      filters: FILTERS,
      scores: SCORES,
      start: this.#start,
      random: Math.random,
    });
    this.#start = (this.#start + decision.visited) % Math.max(1, this.#cluster.nodes.length);
    const { key } = queued;
    if (decision.fits) {
      this.#deps.log.info("pod placed", { key, node: decision.node.name, feasible: decision.feasible });
      this.#reports.withdraw(key);
      this.#cluster.assume(info, decision.node.name);
      this.#inBackground(this.#bind(queued, info, decision.node));
    } else {
      this.#requeue(queued, pod, "unschedulable");
      this.#reports.add({ key, uid: queued.uid, message: decision.message });
    }
  }

  /** The pod as it is now, if it still waits for us. */
  #find({ key, uid }: { key: string; uid: string }): Pod | undefined {
    const pod = this.#deps.informer<Pod>(PODS).get(key);
    return pod?.metadata.uid === uid && isOurs(pod) ? pod : undefined;
  }

  #say(report: FailureReport): void {
    const pod = this.#find(report);
    if (!pod) return;
    this.#deps.log.info("pod not placed", { key: report.key, why: report.message });
    this.#inBackground(this.#report(pod, report.message));
  }

  #inBackground(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#writes.delete(tracked));
    this.#writes.add(tracked);
  }

  async #bind(queued: Queued, { pod }: PodInfo, node: NodeInfo): Promise<void> {
    const { api, events, log } = this.#deps;
    const { name, namespace, uid } = pod.metadata;
    try {
      const target = { apiVersion: "v1", kind: "Node", name: node.name };
      const binding = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace, uid }, target };
      await api.create(PODS, binding, { name, subresource: "binding" });
      events.event(pod, "Normal", "Scheduled", `Successfully assigned ${namespace}/${name} to ${node.name}`);
    } catch (error) {
      this.#cluster.removePod(uid!);
      if (isNotFound(error)) return;
      log.error("binding failed", { key: queued.key, error: String(error) });
      this.#requeue(queued, pod, "retry");
    }
  }

  #requeue(queued: Queued, pod: Pod, why: "unschedulable" | "retry"): void {
    this.#queue.failed({ ...queued, priority: pod.spec?.priority ?? 0 }, this.#deps.clock.nowMs(), why);
  }

  /** The event, and the pod's PodScheduled condition where it says something else. */
  async #report(pod: Pod, message: string): Promise<void> {
    const { api, clock, events, log } = this.#deps;
    events.event(pod, "Warning", "FailedScheduling", message.slice(0, MAX_NOTE_LENGTH));
    const before = pod.status?.conditions?.find((c) => c.type === "PodScheduled");
    const condition: PodCondition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      observedGeneration: pod.metadata.generation,
    };
    if (before?.status === "False" && before.reason === condition.reason && before.message === message) return;
    const lastTransitionTime = before?.status === "False" ? before.lastTransitionTime : printTime(clock.nowMs());
    const { name, namespace } = pod.metadata;
    const patch = { status: { conditions: [{ ...condition, lastProbeTime: null, lastTransitionTime }] } };
    try {
      await api.patch(PODS, { name, namespace, subresource: "status" }, "strategic", patch);
    } catch (error) {
      if (!isNotFound(error)) log.error("condition not written", { pod: name, namespace, error: String(error) });
    }
  }
}

/** Whether nothing changed that scheduling looks at. metadata.generation follows the spec (KEP-5067). */
function isSameToUs(before: Pod, after: Pod): boolean {
  return (
    before.metadata.uid === after.metadata.uid &&
    before.metadata.generation === after.metadata.generation &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    before.spec?.nodeName === after.spec?.nodeName &&
    JSON.stringify(before.metadata.labels) === JSON.stringify(after.metadata.labels) &&
    isFinished(before) === isFinished(after)
  );
}

const identityOf = ({ metadata }: Pod) => ({ key: `${metadata.namespace}/${metadata.name}`, uid: metadata.uid! });

/** Waits for this scheduler: no node yet, not going away, not held back by a gate. */
function isOurs(pod: Pod): boolean {
  return (
    !pod.spec?.nodeName &&
    !pod.metadata.deletionTimestamp &&
    !isFinished(pod) &&
    (pod.spec?.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME &&
    (pod.spec?.schedulingGates ?? []).length === 0
  );
}
