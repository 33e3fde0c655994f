import type { Nomination } from "./pod-writes.ts";

/** Upstream's scheduler writes so many a second at most, and so many at once (its client's qps and burst). */
const REPORTS_PER_SECOND = 50;
const MAX_BURST = 100;
/** They are let go a handful at a time: waking up for each would cost more than it. */
const STEP_MS = 200;
const REPORTS_PER_STEP = (REPORTS_PER_SECOND * STEP_MS) / 1000;

export interface FailureReport {
  /** `<namespace>/<name>` of the pod. */
  key: string;
  uid: string;
  message: string;
  /** Nothing was wrong with the pod: the scheduler itself failed. */
  isError?: boolean;
  /** What is to become of the pod's nomination to a node. */
  nomination?: Nomination;
}

/**
 * What is to be said of pods that no node fits, at a pace that leaves the API to those who place pods and make them.
 * One report a pod, the newest; what was said of a pod that has found a node meanwhile is withdrawn unsaid.
 */
export class FailureReports {
  readonly #waiting = new Map<string, FailureReport>();
  #budget = MAX_BURST;
  #refilledAtMs = Number.NEGATIVE_INFINITY;

  add(report: FailureReport): void {
    this.#waiting.set(report.key, report);
  }

  withdraw(key: string): void {
    this.#waiting.delete(key);
  }

  /** The next report to write, if its time has come. */
  take(nowMs: number): FailureReport | undefined {
    this.#refill(nowMs);
    if (this.#budget === 0) return undefined;
    for (const report of this.#waiting.values()) {
      this.#waiting.delete(report.key);
      this.#budget -= 1;
      return report;
    }
    return undefined;
  }

  /** When `take` may give one, epoch ms; undefined: none waits. */
  nextDueMs(nowMs: number): number | undefined {
    if (this.#waiting.size === 0) return undefined;
    return this.#budget > 0 ? nowMs : Math.max(nowMs, this.#refilledAtMs + STEP_MS);
  }

  #refill(nowMs: number): void {
    const steps = Math.floor((nowMs - this.#refilledAtMs) / STEP_MS);
    if (steps < 1) return;
    this.#budget = Math.min(MAX_BURST, this.#budget + steps * REPORTS_PER_STEP);
    // A full budget has no rest to carry over.
    this.#refilledAtMs = this.#budget === MAX_BURST ? nowMs : this.#refilledAtMs + steps * STEP_MS;
  }
}
