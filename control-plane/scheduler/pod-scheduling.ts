import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import { isNotFound } from "../../shared/api/status.ts";
import type { Node, Pod } from "../../shared/api/types.ts";
import { messageOf } from "../../shared/message-of.ts";
import {
  type Controller,
  type ControllerDefinition,
  type ControllerDeps,
  NODES,
  PODS,
  requeueAfter,
} from "../runtime/index.ts";
import { BackgroundWrites } from "./background-writes.ts";
import { Bindings, type Queued } from "./bindings.ts";
import { CachedCluster } from "./cached-cluster.ts";
import { ClaimHolds } from "./claim-holds.ts";
import { WOKEN_BY, wokenByNodeChange } from "./cluster-events.ts";
import type { ClusterState } from "./cluster-state.ts";
import { type FailureReport, FailureReports } from "./failure-reports.ts";
import { type Decision, decideNode } from "./framework/cycle.ts";
import { NodeInfo, type PodInfo, podInfoOf } from "./framework/node-info.ts";
import { PluginFailure } from "./framework/plugin.ts";
import { LiveProfiles, SCHEDULER_NAME } from "./live-profiles.ts";
import { isWokenByNode } from "./node-hints.ts";
import { NominatedPods } from "./nominated-pods.ts";
import { allocationsOn } from "./plugins/dynamic-resources.ts";
import { haveSameClaims, haveSameLabels, identityOf, isGoing, isSameToUs, isWaiting } from "./pod-changes.ts";
import { reportFailure, tellOfSkipping } from "./pod-writes.ts";
import { Preemptions } from "./preemptions.ts";
import type { Profile } from "./profiles/index.ts";
import { SchedulingQueue } from "./queue.ts";
import { Writers } from "./writers.ts";

/** Wakes those alone that no plugin has rejected. */
const BY_NO_PLUGIN: ReadonlySet<string> = new Set();
const queuedOf = (pod: Pod) => ({ ...identityOf(pod), priority: pod.spec?.priority ?? 0 });

/** The one key of its work queue: decisions are taken one after the other. */
const CYCLE = "cycle";

/** Gives pods without a node one, through the binding subresource. It never talks to a node. */
export const podScheduling: ControllerDefinition = {
  name: SCHEDULER_NAME,
  serviceAccount: "kube-scheduler",
  build: (deps) => new PodScheduling(deps),
};

class PodScheduling implements Controller {
  readonly concurrency = 1;
  readonly #deps: ControllerDeps;
  readonly #writers: Writers;
  readonly #cluster: CachedCluster;
  readonly #state: ClusterState;
  readonly #profiles: LiveProfiles;
  readonly #holds: ClaimHolds;
  readonly #nominated = new NominatedPods();
  readonly #queue = new SchedulingQueue();
  readonly #reports = new FailureReports();
  readonly #background = new BackgroundWrites();
  readonly #bindings: Bindings;
  readonly #preemptions: Preemptions;
  #enqueue: (key: string) => void = () => {};
  /** Where the next cycle starts in the ring of nodes. */
  #start = 0;

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
    this.#cluster = new CachedCluster(deps);
    this.#state = this.#cluster.state;
    this.#profiles = new LiveProfiles(deps);
    this.#holds = new ClaimHolds(this.#cluster.devices, deps);
    this.#writers = new Writers(deps);
    this.#bindings = new Bindings({
      ...deps,
      cluster: this.#cluster,
      holds: this.#holds,
      writers: this.#writers,
      background: this.#background,
      isWaiting: (queued) => this.#find(queued) !== undefined,
      requeue: (queued, pod) => this.#requeue(queued, pod, "retry"),
    });
    this.#preemptions = new Preemptions({
      ...deps,
      nominated: this.#nominated,
      writers: this.#writers,
      tryAgain: ({ pod }) => {
        if (this.#find(identityOf(pod))) this.#queue.add(queuedOf(pod), deps.clock.nowMs());
      },
    });
  }

  start(enqueue: (key: string) => void): void {
    this.#enqueue = enqueue;
    const { informer } = this.#deps;
    const wake = (plugins?: ReadonlySet<string>) => {
      this.#wake(plugins);
      enqueue(CYCLE);
    };
    informer<Node>(NODES).onEvent((event) => {
      if (event.type === "deleted") {
        this.#state.removeNode(event.object.metadata.name);
        return;
      }
      this.#state.setNode(event.object);
      const plugins = event.type === "updated" ? wokenByNodeChange(event.old, event.object) : undefined;
      if (plugins?.size === 0) return;
      this.#wakeFor(event.object, event.old, plugins);
      enqueue(CYCLE);
    });
    this.#cluster.namespaces.onEvent((event) => {
      if (event.type === "updated" && haveSameLabels(event.old, event.object)) return;
      wake(WOKEN_BY.namespaceRelabelled);
    });
    this.#cluster.storage.onChange(() => wake(WOKEN_BY.storage));
    this.#cluster.devices.onChange(() => wake(WOKEN_BY.devices));
    informer<Pod>(PODS).onEvent((event) => {
      const { object: pod, old } = event;
      // Our own report of a failure must not be taken for a reason to try again.
      if (old && isSameToUs(old, pod)) {
        this.#state.refreshPod(pod);
        const isQueued = this.#isOurs(pod) && !this.#bindings.has(pod.metadata.uid!);
        if (isQueued && old.status?.nominatedNodeName !== pod.status?.nominatedNodeName) {
          this.#nominated.set(podInfoOf(pod));
        }
        return;
      }
      if (event.type === "deleted") this.#forget(pod);
      else if (pod.spec?.nodeName) this.#placed(pod, old);
      else if (this.#isOurs(pod)) this.#wait(pod, old);
      else if (this.#isLeavingQueued(pod)) this.#queue.add(queuedOf(pod), this.#deps.clock.nowMs(), BY_NO_PLUGIN);
      else this.#leave(pod);
      enqueue(CYCLE);
    });
  }

  onUncached(batch: Parameters<NonNullable<Controller["onUncached"]>>[0]): void {
    if (this.#profiles.takesNoteOf(batch)) this.#enqueue(CYCLE);
  }

  async reconcile(): Promise<{ afterMs?: number }> {
    const { clock } = this.#deps;
    await this.#configure();
    this.#queue.releaseStale(clock.nowMs());
    this.#bindings.goOn();
    for (;;) {
      const nowMs = clock.nowMs();
      const isFree = !this.#background.isFull;
      const next = isFree ? this.#queue.pop(nowMs) : undefined;
      const report = isFree && !next ? this.#reports.take(nowMs) : undefined;
      if (next) this.#schedule(next);
      else if (report) this.#say(report);
      else if (!this.#background.isIdle) await this.#background.anyDone();
      else break;
    }
    const nowMs = clock.nowMs();
    const parts = [this.#queue, this.#reports, this.#bindings];
    const dueMs = Math.min(...parts.map((part) => part.nextDueMs(nowMs) ?? Infinity));
    return requeueAfter(dueMs === Infinity ? undefined : Math.max(1, dueMs - nowMs));
  }

  /** Pods may have become ours, or another scheduler's, and all may be judged otherwise than before. */
  async #configure(): Promise<void> {
    const configuration = await this.#profiles.refresh();
    if (!configuration) return;
    const { podInitialBackoffSeconds, podMaxBackoffSeconds } = configuration;
    this.#queue.setBackoff({ initialMs: podInitialBackoffSeconds * 1000, maxMs: podMaxBackoffSeconds * 1000 });
    for (const pod of this.#deps.informer<Pod>(PODS).list()) {
      if (this.#isOurs(pod)) this.#wait(pod, undefined);
      else if (isWaiting(pod)) this.#leave(pod);
    }
    this.#wake();
  }

  /** Waits for one of our profiles. */
  #isOurs = (pod: Pod): boolean => isWaiting(pod) && this.#profiles.of(pod) !== undefined;

  /** Deleted while it waits, and held by a finalizer: that is said when its turn comes. */
  #isLeavingQueued(pod: Pod): boolean {
    const { key, uid } = identityOf(pod);
    return isGoing(pod) && this.#queue.has(key) && !this.#bindings.has(uid);
  }

  #wake(plugins?: ReadonlySet<string>): void {
    this.#queue.moveAll(this.#deps.clock.nowMs(), plugins);
  }

  #wakeFor(node: Node, before: Node | undefined, plugins: ReadonlySet<string> | undefined): void {
    const change = { after: new NodeInfo(node), before: before && new NodeInfo(before), plugins };
    this.#queue.moveAll(this.#deps.clock.nowMs(), undefined, (key, rejectedBy) => {
      const pod = this.#deps.informer<Pod>(PODS).get(key);
      const nodeFilters = (pod && this.#profiles.of(pod)?.nodeFilters) ?? [];
      return isWokenByNode(change, { pod, rejectedBy, nodeFilters, cluster: this.#cluster });
    });
  }

  #wait(pod: Pod, old: Pod | undefined): void {
    const info = podInfoOf(pod);
    if (this.#bindings.has(info.uid)) return;
    // A nomination that is not written yet holds all the same.
    const nominatedNode = info.nominatedNode ?? this.#nominated.nodeOf(info.uid);
    this.#nominated.set({ ...info, nominatedNode });
    const isRelabelled = old?.metadata.generation === pod.metadata.generation;
    const hasNewClaims = !!old && !haveSameClaims(old, pod);
    const plugins = isRelabelled ? (hasNewClaims ? WOKEN_BY.devices : WOKEN_BY.podRelabelled) : undefined;
    this.#queue.add(queuedOf(pod), this.#deps.clock.nowMs(), plugins);
  }

  /** It waits no more. */
  #leave(pod: Pod): void {
    const { key, uid } = identityOf(pod);
    this.#queue.remove(key);
    this.#reports.withdraw(key);
    this.#bindings.end(uid);
    if (this.#nominated.remove(uid) && !pod.spec?.nodeName) this.#wake(WOKEN_BY.podGone);
  }

  #placed(pod: Pod, old: Pod | undefined): void {
    this.#leave(pod);
    this.#state.setPod(pod);
    if (isPodTerminal(pod)) this.#wake(WOKEN_BY.podGone);
    else if (!old?.spec?.nodeName) this.#wake(WOKEN_BY.podPlaced);
    else if (!haveSameLabels(old, pod)) this.#wake(WOKEN_BY.podRelabelled);
    else if (pod.metadata.deletionTimestamp) this.#wake(WOKEN_BY.podTerminating);
    else this.#wake(WOKEN_BY.podGone); // resized in place: it may hold less
  }

  #forget(pod: Pod): void {
    this.#leave(pod);
    this.#state.removePod(pod.metadata.uid!);
    if (pod.spec?.nodeName) this.#wake(WOKEN_BY.podGone);
  }

  /** One cycle; what has to be written goes on beside the next ones. */
  #schedule(queued: Queued): void {
    const pod = this.#find(queued);
    if (!pod) {
      this.#skip(queued);
      return;
    }
    const { key, uid } = queued;
    if (this.#preemptions.postpones(uid)) {
      this.#requeue(queued, pod, { rejectedBy: new Set() });
      return;
    }
    const info = { ...podInfoOf(pod), nominatedNode: this.#nominated.nodeOf(uid) };
    const profile = this.#profiles.of(pod)!;
    const holding = profile.filters.filter(({ isReady }) => isReady && !isReady(info, this.#cluster));
    if (holding.length > 0) {
      this.#queue.hold(queued, this.#deps.clock.nowMs(), new Set(holding.map(({ name }) => name)));
      return;
    }
    try {
      this.#decide(queued, info, profile);
    } catch (error) {
      // Whatever went wrong with one pod, it is tried again, and others are not kept waiting.
      if (!(error instanceof PluginFailure)) this.#deps.log.error("scheduling failed", { key, error: String(error) });
      this.#requeue(queued, pod, "retry");
      this.#reports.add({ key, uid, message: messageOf(error), isError: true });
    }
  }

  /** @throws PluginFailure */
  #decide(queued: Queued, info: PodInfo, profile: Profile): void {
    const { key, uid } = queued;
    const decision = decideNode(info, {
      ...profile,
      cluster: this.#cluster,
      nominatedTo: (node) => this.#nominated.on(node),
      budgets: () => this.#cluster.budgets(),
      start: this.#start,
      nowMs: this.#deps.clock.nowMs(),
      random: Math.random,
    });
    this.#start = (this.#start + decision.visited) % Math.max(1, this.#state.nodes.length);
    if (!decision.fits) {
      this.#failed(queued, info, decision);
      return;
    }
    const { name } = decision.node;
    const allocations = allocationsOn(info.pod, decision.node, this.#cluster);
    this.#deps.log.info("pod placed", { key, node: name, feasible: decision.feasible });
    this.#reports.withdraw(key);
    this.#nominated.remove(uid);
    this.#bindings.begin(queued, info, decision.node, allocations);
  }

  #failed(queued: Queued, info: PodInfo, decision: Decision & { fits: false }): void {
    const { message, preemption, rejectedBy, deallocate } = decision;
    const { key, uid } = queued;
    this.#requeue(queued, info.pod, { rejectedBy });
    const nomination = preemption.chosen?.node.name ?? (preemption.givesUpNomination ? null : undefined);
    if (nomination !== undefined) this.#nominated.set({ ...info, nominatedNode: nomination ?? undefined });
    this.#reports.add({ key, uid, message, nomination });
    if (deallocate) this.#background.run(this.#holds.deallocate(deallocate));
    if (!preemption.chosen) return;
    const victims = preemption.chosen.pods.filter(({ isTerminating }) => !isTerminating);
    if (victims.length === 0) return;
    this.#background.run(this.#preemptions.evict(info, { node: preemption.chosen.node.name, victims }));
  }

  /** The pod as it is now, if it still waits for us. */
  #find({ key, uid }: { key: string; uid: string }): Pod | undefined {
    const pod = this.#deps.informer<Pod>(PODS).get(key);
    return pod?.metadata.uid === uid && this.#isOurs(pod) ? pod : undefined;
  }

  /** A pod is not placed that is going away, and its user is told. */
  #skip({ key, uid }: Queued): void {
    const pod = this.#deps.informer<Pod>(PODS).get(key);
    if (pod?.metadata.uid !== uid || !isGoing(pod)) return;
    this.#leave(pod);
    tellOfSkipping(pod, this.#writers.for(pod));
  }

  #say(report: FailureReport): void {
    const pod = this.#find(report);
    if (!pod) return;
    this.#deps.log.info("pod not placed", { key: report.key, why: report.message });
    this.#background.run(this.#report(pod, report));
  }

  #requeue(queued: Queued, pod: Pod, why: Parameters<SchedulingQueue["failed"]>[2]): void {
    this.#queue.failed({ ...queued, priority: pod.spec?.priority ?? 0 }, this.#deps.clock.nowMs(), why);
  }

  async #report(pod: Pod, report: FailureReport): Promise<void> {
    try {
      await reportFailure(pod, report, this.#writers.for(pod));
    } catch (error) {
      if (!isNotFound(error)) this.#deps.log.error("failure not reported", { key: report.key, error: String(error) });
    }
  }
}
