import { messageOf } from "../../shared/message-of.ts";
import { isCritical, type Pod, printPod } from "../api/index.ts";
import { EVICTED } from "./admission.ts";
import { findStorageExcess } from "./local-storage.ts";
import { renderEviction } from "./message.ts";
import { findMet, NO_PRESSURE, observePressure, type PressureState } from "./pressure.ts";
import { rankPods } from "./rank.ts";
import { FACTS, type Observations, type Pressure, type Signal, type StarvedResource } from "./signals.ts";
import { isHard, type Threshold } from "./thresholds.ts";
import type { PodUsage } from "./usage.ts";

/** The kubelet's own period (EVI-01). */
const CHECK_MS = 10_000;
/** A second, not none: a pod that is ended for its node's sake may still say goodbye (EVI-09). */
const HARD_GRACE_SECONDS = 1;
/** How long the room that an evicted pod gives back is waited for. */
const CLEANUP_TIMEOUT_MS = 30_000;
const CLEANUP_POLL_MS = 1_000;
const MIN_END_TIMEOUT_MS = 10_000;

export interface EvictionPolicy {
  thresholds: readonly Threshold[];
  /** How long a pressure has to be gone before the node says so. */
  transitionMs: number;
  /** The most that a pod gets when a soft threshold ends it. */
  maxGraceSeconds: number;
  /** Whether limits on the room that pods take on the disk are held to (localStorageCapacityIsolation). */
  limitsStorage: boolean;
}

/** Why a pod is ended, for its status, its event and those who count disruptions. */
export interface Eviction {
  reason: typeof EVICTED;
  message: string;
  annotations: Record<string, string>;
  /** A pod over its own limits has disrupted itself: that is no condition. */
  isDisruption: boolean;
  graceSeconds: number;
}

export interface EvictionDeps {
  policy: EvictionPolicy;
  clock: { nowMs(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
  log(level: "info" | "warn", message: string, fields?: Record<string, unknown>): void;
  observe(): Promise<Observations>;
  hasImageDisk(): Promise<boolean>;
  /** Those that have not ended. */
  activePods(): Pod[];
  /** By uid. */
  measure(pods: readonly Pod[]): Promise<ReadonlyMap<string, PodUsage>>;
  /** Frees what no pod needs, for one of the disks. Each is tried, whether or not the one before could do it. */
  reclaim: readonly (() => Promise<void>)[];
  /** Settles when the pod's containers have ended. */
  evict(pod: Pod, eviction: Eviction): Promise<void>;
  /** Whether the pod's volumes are gone, too. */
  isCleanedUp(uid: string): Promise<boolean>;
  /** An event of the node. */
  onThreshold(message: string): void;
}

export interface EvictionManager {
  pressures(): ReadonlySet<Pressure>;
  /** Watches over the node until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
  /** One look, with what follows from it. @returns the pods that were evicted */
  synchronize(): Promise<Pod[]>;
}

export function createEvictionManager(deps: EvictionDeps): EvictionManager {
  const { policy, clock, log } = deps;
  let state: PressureState = NO_PRESSURE;

  async function synchronize(): Promise<Pod[]> {
    if (policy.thresholds.length === 0 && !policy.limitsStorage) return [];
    const observations = await deps.observe();
    state = observePressure(state, observations, { ...policy, nowMs: clock.nowMs() });
    const [threshold] = state.met;
    if (!threshold && !policy.limitsStorage) return [];
    const pods = deps.activePods();
    const usages = await deps.measure(pods);
    const hasImageDisk = await deps.hasImageDisk();
    if (policy.limitsStorage) {
      const evicted = await evictForStorage(pods, usages, hasImageDisk);
      if (evicted.length > 0) return evicted;
    }
    if (!threshold) return [];
    const { resource } = FACTS[threshold.signal];
    log("info", "the node is short of a resource", { resource, ...observations[threshold.signal] });
    deps.onThreshold(`Attempting to reclaim ${resource}`);
    if (await reclaimEnough(threshold.signal, hasImageDisk)) return [];
    const usageOf = (pod: Pod) => usages.get(pod.metadata.uid);
    const ranked = rankPods(pods, threshold.signal, { usageOf, hasImageDisk });
    // One at a time: what it gives back is looked at before the next one.
    const victim = ranked.find((pod) => !isCritical(pod));
    if (!victim) {
      log("warn", "no pod can be evicted", { resource });
      return [];
    }
    await end(victim, decideEviction(victim, threshold, resource, usageOf(victim), observations));
    return [victim];
  }

  function decideEviction(
    pod: Pod,
    threshold: Threshold,
    resource: StarvedResource,
    usage: PodUsage | undefined,
    observations: Observations,
  ): Eviction {
    const own = pod.spec.terminationGracePeriodSeconds ?? policy.maxGraceSeconds;
    return {
      reason: EVICTED,
      ...renderEviction(pod, resource, { usage, met: state.met, observations }),
      isDisruption: true,
      graceSeconds: isHard(threshold) ? HARD_GRACE_SECONDS : Math.min(policy.maxGraceSeconds, own),
    };
  }

  async function evictForStorage(
    pods: readonly Pod[],
    usages: ReadonlyMap<string, PodUsage>,
    hasImageDisk: boolean,
  ): Promise<Pod[]> {
    const evicted: Pod[] = [];
    for (const pod of pods) {
      const usage = usages.get(pod.metadata.uid);
      const message = usage && findStorageExcess(pod, usage, { hasImageDisk });
      if (message === undefined || isCritical(pod)) continue;
      const eviction = { message, annotations: {}, isDisruption: false, graceSeconds: HARD_GRACE_SECONDS };
      await end(pod, { reason: EVICTED, ...eviction });
      evicted.push(pod);
    }
    return evicted;
  }

  /** Only what lies on a disk of images can be given back by the node itself. @returns whether it was enough */
  async function reclaimEnough(signal: Signal, hasImageDisk: boolean): Promise<boolean> {
    const isDisk = FACTS[signal].pressure === "DiskPressure";
    if (!isDisk || (hasImageDisk && !signal.startsWith("imagefs."))) return false;
    for (const free of deps.reclaim) {
      await free().catch((error: unknown) => log("warn", "cannot make room", { error: messageOf(error) }));
    }
    return findMet(policy.thresholds, await deps.observe(), { withReclaim: true }).length === 0;
  }

  async function end(pod: Pod, eviction: Eviction): Promise<void> {
    const { message, graceSeconds } = eviction;
    log("info", "evicting a pod", { pod: printPod(pod), message });
    const timeoutMs = Math.max(MIN_END_TIMEOUT_MS, graceSeconds * 1500);
    const waited = new AbortController();
    await Promise.race([deps.evict(pod, eviction), clock.sleep(timeoutMs, waited.signal)]);
    waited.abort();
  }

  async function waitForCleanup(pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    const deadlineMs = clock.nowMs() + CLEANUP_TIMEOUT_MS;
    for (const { metadata } of pods) {
      while (!signal.aborted && clock.nowMs() < deadlineMs && !(await deps.isCleanedUp(metadata.uid))) {
        await clock.sleep(CLEANUP_POLL_MS, signal);
      }
    }
  }

  return {
    pressures: () => state.pressures,
    synchronize,
    async run(signal) {
      while (!signal.aborted) {
        const evicted = await synchronize().catch((error: unknown) => {
          log("warn", "cannot see how the node is", { error: messageOf(error) });
          return [];
        });
        if (evicted.length > 0) await waitForCleanup(evicted, signal);
        else await clock.sleep(CHECK_MS, signal);
      }
    },
  };
}
