import { qosClass } from "../../shared/api/pod-requests.ts";
import { messageOf } from "../../shared/message-of.ts";
import { isCritical, type Pod } from "../api/index.ts";
import {
  CALM,
  decideEviction,
  type EvictionState,
  type Observations,
  type PressureCondition,
  RESOURCE,
} from "./decide.ts";
import { renderEvictionMessage } from "./message.ts";
import { type PodUsage, rankPods } from "./rank.ts";
import type { Threshold } from "./thresholds.ts";

/** The kubelet's monitoring interval (EVI-01). */
const CHECK_MS = 10_000;
/** Seconds for a pod over a hard threshold, instead of its own (EVI-09). */
const HARD_GRACE_SECONDS = 1;

export interface EvictorDeps {
  thresholds: readonly Threshold[];
  transitionMs: number;
  /** Seconds at most for a pod over a soft threshold. */
  maxPodGraceSeconds: number;
  clock: { nowMs(): number; sleep(ms: number, signal: AbortSignal): Promise<void> };
  signal: AbortSignal;
  observe(): Promise<Observations>;
  /** Those that have not ended. */
  pods(): Pod[];
  /** By uid. @param ofDisk whether their files are counted too */
  usage(pods: readonly Pod[], ofDisk: boolean): Promise<ReadonlyMap<string, PodUsage>>;
  /** Pods that have written more than they may: what to tell of each. */
  overStorage(pods: readonly Pod[]): Promise<ReadonlyMap<Pod, string>>;
  /** Frees disk without touching pods: dead containers, unused images (EVI-05). */
  freeDisk(): Promise<void>;
  /**
   * Ends a pod as evicted; settles when its containers have ended.
   * @param isDisruption whether it goes for the node's sake, and not for its own limits (condition DisruptionTarget)
   */
  evict(pod: Pod, how: { message: string; graceSeconds: number; isDisruption?: boolean }): Promise<void>;
  /** An event of the Node. */
  note(type: "Warning", reason: string, message: string): void;
  onFailure(error: string): void;
}

/** Watches over memory, disk and process numbers of the node, and ends pods before the kernel does. */
export interface Evictor {
  conditions(): readonly PressureCondition[];
  /** Why a pod is not let in under the pressure there is; undefined lets it in. */
  whyRefused(pod: Pod): string | undefined;
  /** Settles when the signal is aborted. */
  run(): Promise<void>;
}

export function createEvictor(deps: EvictorDeps): Evictor {
  let state: EvictionState = CALM;
  let conditions: PressureCondition[] = [];

  async function look(): Promise<{ reclaim: Threshold | undefined; observations: Observations }> {
    const observations = await deps.observe();
    const decision = decideEviction(deps.thresholds, observations, state, {
      nowMs: deps.clock.nowMs(),
      transitionMs: deps.transitionMs,
    });
    state = decision.state;
    conditions = decision.conditions;
    return { reclaim: decision.reclaim, observations };
  }

  async function check(): Promise<void> {
    let { reclaim, observations } = await look();
    const over = await deps.overStorage(deps.pods().filter((pod) => !isCritical(pod)));
    for (const [pod, message] of over) await deps.evict(pod, { message, graceSeconds: HARD_GRACE_SECONDS });
    // Who was over its own limit may have been the reason.
    if (!reclaim || over.size > 0) return;
    const resource = RESOURCE[reclaim.signal];
    deps.note("Warning", "EvictionThresholdMet", `Attempting to reclaim ${resource}`);
    const isDisk = resource === "ephemeral-storage" || resource === "inodes";
    if (isDisk) {
      await deps.freeDisk();
      ({ reclaim, observations } = await look());
      if (!reclaim) return;
    }
    const pods = deps.pods();
    const usage = await deps.usage(pods, isDisk);
    // One at a time: its memory has to be given back before more can be judged.
    const [victim] = rankPods(pods, RESOURCE[reclaim.signal], ({ metadata }) => usage.get(metadata.uid));
    if (!victim) return;
    const own = victim.spec.terminationGracePeriodSeconds ?? deps.maxPodGraceSeconds;
    const grace = reclaim.isHard ? HARD_GRACE_SECONDS : Math.min(deps.maxPodGraceSeconds, own);
    const observed = observations[reclaim.signal]!;
    const message = renderEvictionMessage(victim, reclaim, observed, usage.get(victim.metadata.uid));
    await deps.evict(victim, { message, graceSeconds: grace, isDisruption: true });
  }

  return {
    conditions: () => conditions,
    whyRefused(pod) {
      if (conditions.length === 0 || isCritical(pod)) return undefined;
      const isOnlyMemory = conditions.length === 1 && conditions[0] === "MemoryPressure";
      if (isOnlyMemory && (qosClass(pod.spec) !== "BestEffort" || toleratesMemoryPressure(pod))) return undefined;
      return `The node had condition: [${conditions.join(" ")}]. `;
    },
    async run() {
      while (!deps.signal.aborted) {
        await check().catch((error: unknown) => deps.onFailure(messageOf(error)));
        await deps.clock.sleep(CHECK_MS, deps.signal);
      }
    },
  };
}

const toleratesMemoryPressure = ({ spec }: Pod) =>
  (spec.tolerations ?? []).some(
    ({ key, operator, effect }) =>
      (key === "node.kubernetes.io/memory-pressure" || (!key && operator === "Exists")) &&
      (!effect || effect === "NoSchedule"),
  );
