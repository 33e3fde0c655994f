import { amountOf, type Signal, type Threshold } from "./thresholds.ts";

export interface Observation {
  available: number;
  capacity: number;
}
/** What could not be measured is not there. */
export type Observations = Readonly<Partial<Record<Signal, Observation>>>;

export type PressureCondition = "MemoryPressure" | "DiskPressure" | "PIDPressure";

const CONDITION: Record<Signal, PressureCondition> = {
  "memory.available": "MemoryPressure",
  "allocatableMemory.available": "MemoryPressure",
  "pid.available": "PIDPressure",
  "nodefs.available": "DiskPressure",
  "nodefs.inodesFree": "DiskPressure",
  "imagefs.available": "DiskPressure",
  "imagefs.inodesFree": "DiskPressure",
};

/** How upstream names what is short, in events and messages. */
export const RESOURCE: Record<Signal, string> = {
  "memory.available": "memory",
  "allocatableMemory.available": "memory",
  "pid.available": "pids",
  "nodefs.available": "ephemeral-storage",
  "nodefs.inodesFree": "inodes",
  "imagefs.available": "ephemeral-storage",
  "imagefs.inodesFree": "inodes",
};

/** What has to be remembered from one look to the next. */
export interface EvictionState {
  /** Since when each threshold is met (epoch ms), by its place in the list. */
  metSinceMs: ReadonlyMap<Threshold, number>;
  /** When each pressure was last seen (epoch ms). */
  lastSeenMs: ReadonlyMap<PressureCondition, number>;
}

export const CALM: EvictionState = { metSinceMs: new Map(), lastSeenMs: new Map() };

export interface EvictionDecision {
  state: EvictionState;
  /** Under which pressures the node stands, with those that are over for less than the transition period. */
  conditions: PressureCondition[];
  /** What is to be relieved first. */
  reclaim: Threshold | undefined;
}

/**
 * Compares what is left with the thresholds. A threshold that was met stays so until the least that is to be reclaimed has
 * been; a soft one counts when it has been met for its grace period. Memory comes before everything else.
 */
export function decideEviction(
  thresholds: readonly Threshold[],
  observations: Observations,
  before: EvictionState,
  { nowMs, transitionMs }: { nowMs: number; transitionMs: number },
): EvictionDecision {
  const met = thresholds.filter((threshold) => {
    const observed = observations[threshold.signal];
    if (!observed) return false;
    const wasDriving =
      before.metSinceMs.has(threshold) && nowMs - before.metSinceMs.get(threshold)! >= threshold.graceMs;
    const extra = wasDriving && threshold.minimumReclaim ? amountOf(threshold.minimumReclaim, observed.capacity) : 0;
    return observed.available < amountOf(threshold.value, observed.capacity) + extra;
  });
  const metSinceMs = new Map(met.map((threshold) => [threshold, before.metSinceMs.get(threshold) ?? nowMs]));
  const lastSeenMs = new Map(before.lastSeenMs);
  for (const { signal } of met) lastSeenMs.set(CONDITION[signal], nowMs);
  const driving = met.filter((threshold) => nowMs - metSinceMs.get(threshold)! >= threshold.graceMs);
  return {
    state: { metSinceMs, lastSeenMs },
    conditions: [...lastSeenMs]
      .filter(([, seenMs]) => nowMs - seenMs < transitionMs || seenMs === nowMs)
      .map(([type]) => type),
    reclaim: driving.find(({ signal }) => RESOURCE[signal] === "memory") ?? driving[0],
  };
}
