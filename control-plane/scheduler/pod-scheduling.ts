import type { KubeObject } from "../../shared/api/object.ts";
import { isPodTerminal } from "../../shared/api/pod-phase.ts";
import { isNotFound } from "../../shared/api/status.ts";
import type { Node, Pod, ResourceClaim } from "../../shared/api/types.ts";
import { messageOf } from "../../shared/message-of.ts";
import {
  backoffMs,
  type Controller,
  type ControllerDefinition,
  type ControllerDeps,
  NODES,
  PODS,
  requeueAfter,
} from "../runtime/index.ts";
import { CachedCluster } from "./cached-cluster.ts";
import { ClaimHolds } from "./claim-holds.ts";
import { WOKEN_BY, wokenByNodeChange } from "./cluster-events.ts";
import type { ClusterState } from "./cluster-state.ts";
import type { Allocation } from "./devices/index.ts";
import { EventSeriesRecorder } from "./event-series.ts";
import { type FailureReport, FailureReports } from "./failure-reports.ts";
import { type Decision, decideNode } from "./framework/cycle.ts";
import { NodeInfo, type PodInfo, podInfoOf } from "./framework/node-info.ts";
import { PluginFailure } from "./framework/plugin.ts";
import { PodFilters } from "./framework/pod-filters.ts";
import { LiveProfiles, SCHEDULER_NAME, schedulerOf } from "./live-profiles.ts";
import { NominatedPods } from "./nominated-pods.ts";
import { allocationsOn } from "./plugins/dynamic-resources.ts";
import { bind, clearNomination, evict, nominate, reportFailure, type WriteDeps } from "./pod-writes.ts";
import type { Profile } from "./profiles/index.ts";
import { SchedulingQueue } from "./queue.ts";
import { carryOutChoices } from "./volume-writes.ts";
import {
  choicesOn,
  hasChoices,
  type PodOfVolumes,
  sortClaims,
  type VolumeChoices,
  VolumeWaits,
} from "./volumes/index.ts";

/** The one key of its work queue: decisions are taken one after the other. */
const CYCLE = "cycle";
/** Writes (bindings, reports) under way at once; deciding goes on meanwhile, on assumed state. */
const MAX_WRITES = 16;
/** Between two questions whether a binding was carried out. */
const ASK_AGAIN = { baseMs: 500, maxMs: 10_000 };

interface Placed extends PodOfVolumes {
  queued: Queued;
  info: PodInfo;
  node: string;
}

interface Unsettled {
  queued: Queued;
  info: PodInfo;
  /** What the binding failed with. */
  error: unknown;
  /** How often the API could not be asked. */
  failures: number;
  atMs: number;
}

type Queued = NonNullable<ReturnType<SchedulingQueue["pop"]>>;

/** Gives pods without a node one, through the binding subresource. It never talks to a node. */
export const podScheduling: ControllerDefinition = {
  name: SCHEDULER_NAME,
  serviceAccount: "kube-scheduler",
  build: (deps) => new PodScheduling(deps),
};

class PodScheduling implements Controller {
  readonly concurrency = 1;
  readonly #deps: ControllerDeps;
  /** By the name of the scheduler, as which its events are written. */
  readonly #writing = new Map<string, WriteDeps>();
  readonly #cluster: CachedCluster;
  readonly #state: ClusterState;
  readonly #profiles: LiveProfiles;
  readonly #holds: ClaimHolds;
  readonly #nominated = new NominatedPods();
  readonly #queue = new SchedulingQueue();
  readonly #reports = new FailureReports();
  readonly #writes = new Set<Promise<void>>();
  /** By uid, pods whose victims are being evicted: they are not tried meanwhile, but after it if they were due. */
  readonly #preempting = new Map<string, { isDue: boolean }>();
  /** Uids of pods that have a node for us, and not yet for the API: they are not looked at again until it is settled. */
  readonly #placing = new Set<string>();
  readonly #volumeWaits = new VolumeWaits<Placed>();
  /** By uid, pods of whose binding it is not known whether it was carried out. */
  readonly #unsettled = new Map<string, Unsettled>();
  #enqueue: (key: string) => void = () => {};
  /** Where the next cycle starts in the ring of nodes. */
  #start = 0;

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
    this.#cluster = new CachedCluster(deps);
    this.#state = this.#cluster.state;
    this.#profiles = new LiveProfiles(deps);
    this.#holds = new ClaimHolds(this.#cluster.devices, deps);
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
        const isQueued = this.#isOurs(pod) && !this.#placing.has(pod.metadata.uid!);
        if (isQueued && old.status?.nominatedNodeName !== pod.status?.nominatedNodeName) {
          this.#nominated.set(podInfoOf(pod));
        }
        return;
      }
      if (event.type === "deleted") this.#forget(pod);
      else if (pod.spec?.nodeName) this.#placed(pod, old);
      else if (this.#isOurs(pod)) this.#wait(pod, old);
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
    this.#endVolumeWaits();
    this.#settleDue();
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
    const parts = [this.#queue, this.#reports, this.#volumeWaits];
    const dues = [
      ...parts.map((part) => part.nextDueMs(nowMs)),
      ...[...this.#unsettled.values()].map(({ atMs }) => atMs),
    ];
    const dueMs = Math.min(...dues.map((due) => due ?? Infinity));
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

  /** Writes under the name of the pod's scheduler. */
  #writingFor(pod: Pod): WriteDeps {
    const controller = schedulerOf(pod);
    const { api, clock, log } = this.#deps;
    const writing = this.#writing.get(controller) ?? {
      api,
      clock,
      events: new EventSeriesRecorder({ api, controller, clock, log }),
    };
    this.#writing.set(controller, writing);
    return writing;
  }

  #wake(plugins?: ReadonlySet<string>): void {
    this.#queue.moveAll(this.#deps.clock.nowMs(), plugins);
  }

  /**
   * A node came or changed. Those that only nodes themselves refused are tried again where it takes them now if it is
   * empty, and did not before or refused them for what has changed.
   */
  #wakeFor(node: Node, before: Node | undefined, plugins: ReadonlySet<string> | undefined): void {
    const [now, then] = [new NodeInfo(node), before && new NodeInfo(before)];
    const cluster = this.#cluster;
    this.#queue.moveAll(this.#deps.clock.nowMs(), undefined, (key, rejectedBy) => {
      const isConcerned = !plugins || [...rejectedBy].some((name) => plugins.has(name));
      const pod = this.#deps.informer<Pod>(PODS).get(key);
      const nodeFilters = (pod && this.#profiles.of(pod)?.nodeFilters) ?? [];
      const isCompanyWanted = [...rejectedBy].some((name) => !nodeFilters.some((plugin) => plugin.name === name));
      if (isCompanyWanted || !pod) return isConcerned;
      const filters = new PodFilters(podInfoOf(pod), cluster, nodeFilters);
      return !filters.refusal(now, []) && (isConcerned || !then || filters.refusal(then, []) !== undefined);
    });
  }

  #wait(pod: Pod, old: Pod | undefined): void {
    const info = podInfoOf(pod);
    if (this.#placing.has(info.uid)) return;
    // A nomination that is not written yet holds all the same.
    const nominatedNode = info.nominatedNode ?? this.#nominated.nodeOf(info.uid);
    this.#nominated.set({ ...info, nominatedNode });
    const isRelabelled = old?.metadata.generation === pod.metadata.generation;
    const hasNewClaims = !!old && !haveSameClaims(old, pod);
    const plugins = isRelabelled ? (hasNewClaims ? WOKEN_BY.devices : WOKEN_BY.podRelabelled) : undefined;
    this.#queue.add({ ...identityOf(pod), priority: info.priority }, this.#deps.clock.nowMs(), plugins);
  }

  /** It waits no more. */
  #leave(pod: Pod): void {
    const { key, uid } = identityOf(pod);
    this.#queue.remove(key);
    this.#reports.withdraw(key);
    this.#volumeWaits.remove(uid);
    this.#unsettled.delete(uid);
    this.#placing.delete(uid);
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
    if (!pod) return;
    const { key, uid } = queued;
    const preempting = this.#preempting.get(uid);
    if (preempting) {
      preempting.isDue = true;
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
    this.#placing.add(uid);
    this.#state.assume(info, name);
    this.#holds.choose(allocations);
    const choices = this.#volumeChoices(info, decision.node);
    this.#inBackground(this.#prepareAndBind({ queued, info, node: name }, { choices, allocations }));
  }

  /** Has the pod's volumes and devices made its own, then binds it. */
  async #prepareAndBind(
    placed: Omit<Placed, keyof PodOfVolumes>,
    {
      choices,
      allocations,
    }: { choices: VolumeChoices | undefined; allocations: ReadonlyMap<ResourceClaim, Allocation> },
  ): Promise<void> {
    const { queued, info, node } = placed;
    try {
      const hasClaims = (info.pod.spec?.resourceClaims ?? []).length > 0;
      await Promise.all([
        this.#holds.reserve(info.pod, allocations),
        hasClaims ? nominate(info.pod, node, this.#writingFor(info.pod)) : undefined,
      ]);
    } catch (error) {
      this.#unplace(queued, info, error);
      return;
    }
    await (choices ? this.#bindVolumes(placed, choices) : this.#bind(queued, info, node));
  }

  /** What is to be done for the pod's volumes, if anything. */
  #volumeChoices({ pod }: PodInfo, { node }: NodeInfo): VolumeChoices | undefined {
    const { storage } = this.#cluster;
    const claims = sortClaims(pod, storage);
    if (!claims || "never" in claims) return undefined;
    const choices = choicesOn(node, claims, storage);
    return "reasons" in choices || !hasChoices(choices) ? undefined : choices;
  }

  /** Has volumes bound; the pod is when they are, and keeps its place until then. */
  async #bindVolumes({ queued, info, node }: Omit<Placed, keyof PodOfVolumes>, choices: VolumeChoices): Promise<void> {
    const { reserved } = this.#cluster.storage;
    const { uid, namespace } = info;
    const placed = { queued, info, node, namespace };
    const names = choices.bind.map(({ volume }) => volume.metadata.name);
    for (const name of names) reserved.add(name);
    this.#volumeWaits.add(
      uid,
      { ...placed, claims: [...choices.bind.map(({ claim }) => claim), ...choices.provision] },
      this.#deps.clock.nowMs(),
    );
    try {
      const [claims] = await Promise.all([
        carryOutChoices(choices, node, this.#deps.api),
        nominate(info.pod, node, this.#writingFor(info.pod)),
      ]);
      if (!this.#volumeWaits.has(uid)) return;
      this.#volumeWaits.add(uid, { ...placed, claims }, this.#deps.clock.nowMs());
      this.#endVolumeWaits();
    } catch (error) {
      for (const name of names) reserved.delete(name);
      this.#volumeWaits.remove(uid);
      this.#unplace(queued, info, error);
    }
  }

  #endVolumeWaits(): void {
    for (const { pod, isBound } of this.#volumeWaits.take(this.#cluster.storage, this.#deps.clock.nowMs())) {
      const { queued, info, node } = pod;
      if (isBound) this.#inBackground(this.#bind(queued, info, node));
      else this.#unplace(queued, info, new Error("its volumes were not bound"));
    }
  }

  #failed(queued: Queued, info: PodInfo, decision: Decision & { fits: false }): void {
    const { message, preemption, rejectedBy, deallocate } = decision;
    const { key, uid } = queued;
    this.#requeue(queued, info.pod, { rejectedBy });
    const nomination = preemption.chosen?.node.name ?? (preemption.givesUpNomination ? null : undefined);
    if (nomination !== undefined) this.#nominated.set({ ...info, nominatedNode: nomination ?? undefined });
    this.#reports.add({ key, uid, message, nomination });
    if (deallocate) this.#inBackground(this.#holds.deallocate(deallocate));
    if (!preemption.chosen) return;
    const victims = preemption.chosen.pods.filter(({ isTerminating }) => !isTerminating);
    if (victims.length === 0) return;
    this.#inBackground(this.#preempt(info, { node: preemption.chosen.node.name, victims }));
  }

  /** Makes room for a pod. It is tried again when its victims are gone, or at once if one cannot be evicted. */
  async #preempt({ pod, uid, priority }: PodInfo, { node, victims }: { node: string; victims: PodInfo[] }) {
    const { clock, log } = this.#deps;
    const { key } = identityOf(pod);
    log.info("pods preempted", { key, node, victims: victims.map((info) => identityOf(info.pod).key) });
    const preempting = { isDue: false };
    this.#preempting.set(uid, preempting);
    const displaced = this.#nominated.on(node).filter((other) => other.priority < priority);
    try {
      for (const other of displaced) {
        this.#nominated.remove(other.uid);
        await clearNomination(other.pod, this.#writingFor(pod));
      }
      await Promise.all(victims.map((victim) => evict(victim.pod, { preemptor: pod, node }, this.#writingFor(pod))));
    } catch (error) {
      log.error("preemption failed", { key, error: String(error) });
      preempting.isDue = true;
    } finally {
      this.#preempting.delete(uid);
    }
    if (preempting.isDue && this.#find({ key, uid })) this.#queue.add({ key, uid, priority }, clock.nowMs());
  }

  /** The pod as it is now, if it still waits for us. */
  #find({ key, uid }: { key: string; uid: string }): Pod | undefined {
    const pod = this.#deps.informer<Pod>(PODS).get(key);
    return pod?.metadata.uid === uid && this.#isOurs(pod) ? pod : undefined;
  }

  #say(report: FailureReport): void {
    const pod = this.#find(report);
    if (!pod) return;
    this.#deps.log.info("pod not placed", { key: report.key, why: report.message });
    this.#inBackground(this.#report(pod, report));
  }

  #inBackground(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#writes.delete(tracked));
    this.#writes.add(tracked);
  }

  async #bind(queued: Queued, info: PodInfo, node: string): Promise<void> {
    try {
      await bind(info.pod, node, this.#writingFor(info.pod));
    } catch (error) {
      await this.#settle({ queued, info, error, failures: 0 });
    }
  }

  /**
   * A binding failed, and may have been carried out all the same: its answer was lost, or somebody else was first. Until
   * the API has said which, the pod keeps its place: a node must not be given away twice.
   */
  async #settle({ queued, info, error, failures }: Omit<Unsettled, "atMs">): Promise<void> {
    const { name, namespace } = info.pod.metadata;
    try {
      const pod = isNotFound(error) ? undefined : await this.#deps.api.get<Pod>(PODS, name, namespace);
      if (!this.#find(queued)) return; // the feed was quicker
      if (pod?.metadata.uid === info.uid && pod.spec?.nodeName) this.#state.setPod(pod);
      else this.#unplace(queued, info, error);
    } catch (cause) {
      if (isNotFound(cause)) return this.#unplace(queued, info, error);
      const atMs = this.#deps.clock.nowMs() + backoffMs(failures + 1, ASK_AGAIN);
      if (this.#find(queued)) this.#unsettled.set(info.uid, { queued, info, error, failures: failures + 1, atMs });
    }
  }

  #settleDue(): void {
    const nowMs = this.#deps.clock.nowMs();
    for (const [uid, unsettled] of this.#unsettled) {
      if (unsettled.atMs > nowMs) continue;
      this.#unsettled.delete(uid);
      this.#inBackground(this.#settle(unsettled));
    }
  }

  /** The pod does not get its node after all. */
  #unplace(queued: Queued, { pod, uid }: PodInfo, error: unknown): void {
    this.#state.removePod(uid);
    this.#placing.delete(uid);
    this.#inBackground(this.#holds.release(pod));
    if (!this.#find(queued)) return;
    this.#deps.log.error("binding failed", { key: queued.key, error: String(error) });
    this.#requeue(queued, pod, "retry");
  }

  #requeue(queued: Queued, pod: Pod, why: Parameters<SchedulingQueue["failed"]>[2]): void {
    this.#queue.failed({ ...queued, priority: pod.spec?.priority ?? 0 }, this.#deps.clock.nowMs(), why);
  }

  async #report(pod: Pod, report: FailureReport): Promise<void> {
    try {
      await reportFailure(pod, report, this.#writingFor(pod));
    } catch (error) {
      if (!isNotFound(error)) this.#deps.log.error("failure not reported", { key: report.key, error: String(error) });
    }
  }
}

const haveSameLabels = (a: KubeObject, b: KubeObject) =>
  JSON.stringify(a.metadata.labels) === JSON.stringify(b.metadata.labels);

/** The claims that were made for a pod. */
const haveSameClaims = (a: Pod, b: Pod) =>
  JSON.stringify(a.status?.resourceClaimStatuses) === JSON.stringify(b.status?.resourceClaimStatuses);

/** Whether nothing changed that scheduling looks at. metadata.generation follows the spec (KEP-5067). */
function isSameToUs(before: Pod, after: Pod): boolean {
  return (
    before.metadata.uid === after.metadata.uid &&
    before.metadata.generation === after.metadata.generation &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    before.spec?.nodeName === after.spec?.nodeName &&
    haveSameLabels(before, after) &&
    haveSameClaims(before, after) &&
    isPodTerminal(before) === isPodTerminal(after)
  );
}

const identityOf = ({ metadata }: Pod) => ({ key: `${metadata.namespace}/${metadata.name}`, uid: metadata.uid! });

/** No node yet, not going away, not held back by a gate. */
function isWaiting(pod: Pod): boolean {
  return (
    !pod.spec?.nodeName &&
    !pod.metadata.deletionTimestamp &&
    !isPodTerminal(pod) &&
    (pod.spec?.schedulingGates ?? []).length === 0
  );
}
