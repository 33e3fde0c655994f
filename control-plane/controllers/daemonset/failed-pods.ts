import type { DaemonSet } from "../../../shared/api/types.ts";
import type { Notes } from "../../runtime/index.ts";

/** Upstream's back-off between two deletions of failed pods on one node: 1 s, doubled up to 15 minutes. */
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15 * 60_000;
/** After so long without a failure the count begins anew. */
const FORGET_MS = 2 * MAX_DELAY_MS;

export interface FailedPodDelay {
  delayMs: number;
  /** When the last failed pod was deleted (epoch ms). */
  sinceMs: number;
}

/** Milliseconds until the next failed pod may be deleted; 0: now. */
export function waitMs(delay: FailedPodDelay | undefined, nowMs: number): number {
  if (!delay || isForgotten(delay, nowMs)) return 0;
  return Math.max(0, delay.sinceMs + delay.delayMs - nowMs);
}

/** The delay that follows when a failed pod is deleted now. */
export function nextDelay(delay: FailedPodDelay | undefined, nowMs: number): FailedPodDelay {
  const isFirst = !delay || isForgotten(delay, nowMs);
  return { delayMs: isFirst ? FIRST_DELAY_MS : Math.min(MAX_DELAY_MS, 2 * delay.delayMs), sinceMs: nowMs };
}

/** Also when the clock was set back: nothing may wait for longer than it should. */
const isForgotten = ({ sinceMs }: FailedPodDelay, nowMs: number): boolean =>
  nowMs - sinceMs > FORGET_MS || nowMs < sinceMs;

const PREFIX = "daemonset/failed/";

/**
 * The delays by set and node. They are noted down: without them a set whose pods a node refuses would begin the quarrel
 * anew each time the object is evicted. A new generation of the set begins anew, too.
 */
export class FailedPods {
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  get(set: DaemonSet, nodeName: string): FailedPodDelay | undefined {
    return this.#notes.get<FailedPodDelay>(keyOf(set, nodeName));
  }

  /** A failed pod on that node is about to be deleted. */
  note(set: DaemonSet, nodeName: string, nowMs: number): void {
    for (const [key, delay] of [...this.#notes.list<FailedPodDelay>(PREFIX)])
      if (isForgotten(delay, nowMs)) this.#notes.delete(key);
    this.#notes.put(keyOf(set, nodeName), nextDelay(this.get(set, nodeName), nowMs));
  }

  /** The set is gone. */
  forget(uid: string): void {
    for (const [key] of [...this.#notes.list(`${PREFIX}${uid}/`)]) this.#notes.delete(key);
  }
}

const keyOf = ({ metadata, status }: DaemonSet, nodeName: string): string =>
  `${PREFIX}${metadata.uid}/${status?.observedGeneration ?? 0}/${nodeName}`;
