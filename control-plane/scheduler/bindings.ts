import { isNotFound } from "../../shared/api/status.ts";
import type { Pod, ResourceClaim } from "../../shared/api/types.ts";
import { backoffMs, type ControllerDeps, PODS } from "../runtime/index.ts";
import type { BackgroundWrites } from "./background-writes.ts";
import type { CachedCluster } from "./cached-cluster.ts";
import type { ClaimHolds } from "./claim-holds.ts";
import type { Allocation } from "./devices/index.ts";
import type { NodeInfo, PodInfo } from "./framework/node-info.ts";
import { bind, nominate } from "./pod-writes.ts";
import type { SchedulingQueue } from "./queue.ts";
import { carryOutChoices } from "./volume-writes.ts";
import {
  choicesOn,
  hasChoices,
  type PodOfVolumes,
  sortClaims,
  type VolumeChoices,
  VolumeWaits,
} from "./volumes/index.ts";
import type { Writers } from "./writers.ts";

/** Between two questions whether a binding was carried out. */
const ASK_AGAIN = { baseMs: 500, maxMs: 10_000 };

export type Queued = NonNullable<ReturnType<SchedulingQueue["pop"]>>;
type Allocations = ReadonlyMap<ResourceClaim, Allocation>;

/** A pod for which a node was found. */
interface Placed {
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

interface Deps extends Pick<ControllerDeps, "api" | "clock" | "log"> {
  cluster: CachedCluster;
  holds: ClaimHolds;
  writers: Writers;
  background: BackgroundWrites;
  /** Whether the pod still waits for us. */
  isWaiting(queued: Queued): boolean;
  /** It does not get its node after all. */
  requeue(queued: Queued, pod: Pod): void;
}

/**
 * Pods that have a node for us, and not yet for the API: they keep their place, and are not looked at again until it is
 * settled. What their volumes and devices need comes first.
 */
export class Bindings {
  readonly #deps: Deps;
  /** Uids. */
  readonly #placing = new Set<string>();
  readonly #volumeWaits = new VolumeWaits<Placed & PodOfVolumes>();
  /** By uid, pods of whose binding it is not known whether it was carried out. */
  readonly #unsettled = new Map<string, Unsettled>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  has(uid: string): boolean {
    return this.#placing.has(uid);
  }

  /** The API has said what became of the pod. */
  end(uid: string): void {
    this.#volumeWaits.remove(uid);
    this.#unsettled.delete(uid);
    this.#placing.delete(uid);
  }

  /** The pod has its place from now on; the writes go on beside the next decisions. */
  begin(queued: Queued, info: PodInfo, node: NodeInfo, allocations: Allocations): void {
    const { cluster, holds, background } = this.#deps;
    this.#placing.add(info.uid);
    cluster.state.assume(info, node.name);
    holds.choose(allocations);
    const choices = this.#volumeChoices(info, node);
    background.run(this.#prepareAndBind({ queued, info, node: node.name }, allocations, choices));
  }

  /** Goes on with what has come to its time. */
  goOn(): void {
    this.#endVolumeWaits();
    const nowMs = this.#deps.clock.nowMs();
    for (const [uid, unsettled] of this.#unsettled) {
      if (unsettled.atMs > nowMs) continue;
      this.#unsettled.delete(uid);
      this.#deps.background.run(this.#settle(unsettled));
    }
  }

  /** Epoch ms; undefined while nothing waits. */
  nextDueMs(): number | undefined {
    const dues = [this.#volumeWaits.nextDueMs(), ...[...this.#unsettled.values()].map(({ atMs }) => atMs)];
    const dueMs = Math.min(...dues.filter((due) => due !== undefined));
    return dueMs === Infinity ? undefined : dueMs;
  }

  /** Has the pod's volumes and devices made its own, then binds it. */
  async #prepareAndBind(placed: Placed, allocations: Allocations, choices: VolumeChoices | undefined): Promise<void> {
    const { info, node } = placed;
    const { holds, writers } = this.#deps;
    try {
      const hasClaims = (info.pod.spec?.resourceClaims ?? []).length > 0;
      await Promise.all([
        holds.reserve(info.pod, allocations),
        hasClaims ? nominate(info.pod, node, writers.for(info.pod)) : undefined,
      ]);
    } catch (error) {
      this.#unplace(placed, error);
      return;
    }
    await (choices ? this.#bindVolumes(placed, choices) : this.#bind(placed));
  }

  /** What is to be done for the pod's volumes, if anything. */
  #volumeChoices({ pod }: PodInfo, { node }: NodeInfo): VolumeChoices | undefined {
    const { storage } = this.#deps.cluster;
    const claims = sortClaims(pod, storage);
    if (!claims || "never" in claims) return undefined;
    const choices = choicesOn(node, claims, storage);
    return "reasons" in choices || !hasChoices(choices) ? undefined : choices;
  }

  /** Has volumes bound; the pod is when they are, and keeps its place until then. */
  async #bindVolumes(placed: Placed, choices: VolumeChoices): Promise<void> {
    const { api, clock, cluster, writers } = this.#deps;
    const { reserved } = cluster.storage;
    const { info, node } = placed;
    const { uid, namespace } = info;
    const names = choices.bind.map(({ volume }) => volume.metadata.name);
    for (const name of names) reserved.add(name);
    const asked = [...choices.bind.map(({ claim }) => claim), ...choices.provision];
    this.#volumeWaits.add(uid, { ...placed, namespace, claims: asked }, clock.nowMs());
    try {
      const [claims] = await Promise.all([
        carryOutChoices(choices, node, api),
        nominate(info.pod, node, writers.for(info.pod)),
      ]);
      if (!this.#volumeWaits.has(uid)) return;
      this.#volumeWaits.add(uid, { ...placed, namespace, claims }, clock.nowMs());
      this.#endVolumeWaits();
    } catch (error) {
      for (const name of names) reserved.delete(name);
      this.#volumeWaits.remove(uid);
      this.#unplace(placed, error);
    }
  }

  #endVolumeWaits(): void {
    const { cluster, clock, background } = this.#deps;
    for (const { pod, isBound } of this.#volumeWaits.take(cluster.storage, clock.nowMs())) {
      if (isBound) background.run(this.#bind(pod));
      else this.#unplace(pod, new Error("its volumes were not bound"));
    }
  }

  async #bind({ queued, info, node }: Placed): Promise<void> {
    try {
      await bind(info.pod, node, this.#deps.writers.for(info.pod));
    } catch (error) {
      await this.#settle({ queued, info, error, failures: 0 });
    }
  }

  /**
   * A binding failed, and may have been carried out all the same: its answer was lost, or somebody else was first. Until
   * the API has said which, the pod keeps its place: a node must not be given away twice.
   */
  async #settle({ queued, info, error, failures }: Omit<Unsettled, "atMs">): Promise<void> {
    const { api, clock, cluster, isWaiting } = this.#deps;
    const { name, namespace } = info.pod.metadata;
    try {
      const pod = isNotFound(error) ? undefined : await api.get<Pod>(PODS, name, namespace);
      if (!isWaiting(queued)) return; // the feed was quicker
      if (pod?.metadata.uid === info.uid && pod.spec?.nodeName) cluster.state.setPod(pod);
      else this.#unplace({ queued, info }, error);
    } catch (cause) {
      if (isNotFound(cause)) return this.#unplace({ queued, info }, error);
      const atMs = clock.nowMs() + backoffMs(failures + 1, ASK_AGAIN);
      if (isWaiting(queued)) this.#unsettled.set(info.uid, { queued, info, error, failures: failures + 1, atMs });
    }
  }

  /** The pod does not get its node after all. */
  #unplace({ queued, info }: Omit<Placed, "node">, error: unknown): void {
    const { cluster, holds, background, isWaiting, requeue, log } = this.#deps;
    cluster.state.removePod(info.uid);
    this.#placing.delete(info.uid);
    background.run(holds.release(info.pod));
    if (!isWaiting(queued)) return;
    log.error("binding failed", { key: queued.key, error: String(error) });
    requeue(queued, info.pod);
  }
}
