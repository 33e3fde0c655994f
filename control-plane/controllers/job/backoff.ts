import type { Pod } from "../../../shared/api/types.ts";
import { finishedAtMs } from "./finish-time.ts";

/** JOB-02: the documentation says six minutes at most, upstream's code ten. */
const FIRST_MS = 10_000;
const MAX_MS = 10 * 60_000;

/** Failures of a Job's pods since the last success. */
export interface BackoffRecord {
  failures: number;
  /** Epoch ms; of no meaning without failures. */
  lastFailureMs: number;
}

export const NO_FAILURES: BackoffRecord = { failures: 0, lastFailureMs: 0 };

/** The record with pods that ended since. A success makes earlier failures forgotten. */
export function withEnded(record: BackoffRecord, succeeded: Pod[], failed: Pod[]): BackoffRecord {
  const lastSuccessMs = Math.max(...succeeded.map(finishedAtMs));
  const failureTimes = failed.map(finishedAtMs).filter((ms) => ms > lastSuccessMs);
  const before = succeeded.length > 0 ? NO_FAILURES : record;
  if (failureTimes.length === 0) return before;
  return { failures: before.failures + failureTimes.length, lastFailureMs: Math.max(...failureTimes) };
}

/** How long a replacement has to wait: 10 s after the first failure, doubled with each more, ten minutes at most. */
export function remainingBackoffMs({ failures, lastFailureMs }: BackoffRecord, nowMs: number): number {
  if (failures === 0) return 0;
  const delayMs = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30));
  return Math.max(0, lastFailureMs + delayMs - nowMs);
}
