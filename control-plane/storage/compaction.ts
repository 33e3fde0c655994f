import type { Meta } from "./meta-table.ts";

/** How long an old revision can be listed and watched from at least, as upstream's compaction interval. */
export const COMPACTION_INTERVAL_MS = 5 * 60_000;
/** Bounds the old revisions kept, and so the cost of reading at one, however fast the writes are. */
export const MAX_RETAINED_REVISIONS = 20_000;
/** How many revisions one step passes, so that it holds the thread for milliseconds only. */
export const COMPACTION_STEP_REVISIONS = 2_000;

/** How a log stands, for the decisions below. */
export interface LogState extends Meta {
  newest: number;
  nowMs: number;
}

/**
 * The compaction to plan after a write that replaced or deleted something; null if one is planned already. It goes up
 * to where the log is now, once the interval has passed: so every revision stays at least that long.
 */
export function planCompaction({ next, newest, nowMs }: LogState): Meta["next"] {
  return next === null ? { toRevision: newest, atMs: nowMs + COMPACTION_INTERVAL_MS } : null;
}

/**
 * Up to where to compact now, in one step; null if it is not yet time for any. A log over its bound does not wait.
 */
export function decideCompaction({ compacted, next, newest, nowMs }: LogState): { toRevision: number } | null {
  const isFull = newest - compacted > MAX_RETAINED_REVISIONS;
  const goal = isFull ? newest : next !== null && nowMs >= next.atMs ? next.toRevision : compacted;
  if (goal <= compacted) return null;
  return { toRevision: Math.min(goal, compacted + COMPACTION_STEP_REVISIONS) };
}
