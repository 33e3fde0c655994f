/** First pause after a failed attempt, doubled with each, and the longest (upstream podInitialBackoffSeconds, podMaxBackoffSeconds). */
const INITIAL_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10_000;
/** A pod that found no node is tried again after so long, whatever happened (upstream podMaxInUnschedulablePodsDuration). */
export const MAX_UNSCHEDULABLE_MS = 300_000;

interface Entry {
  key: string;
  uid: string;
  priority: number;
  /** When it was first queued: among equals the oldest goes first. */
  sinceMs: number;
  attempts: number;
  state: { at: "active" } | { at: "backoff"; dueMs: number } | { at: "unschedulable"; sinceMs: number };
}

/**
 * Pods that wait for a node: active ones are ready to be tried, those in back-off wait for their time, the
 * unschedulable for something in the cluster to change. Bounded by the number of pods. Time is an argument.
 */
export class SchedulingQueue {
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  /** A pending pod appeared or changed. A change makes an unschedulable pod worth another try. */
  add(pod: { key: string; uid: string; priority: number }, nowMs: number): void {
    const entry = this.#entries.get(pod.key);
    if (!entry || entry.uid !== pod.uid) {
      this.#entries.set(pod.key, { ...pod, sinceMs: nowMs, attempts: 0, state: { at: "active" } });
      return;
    }
    entry.priority = pod.priority;
    if (entry.state.at === "unschedulable") this.#wake(entry, nowMs);
  }

  remove(key: string): void {
    this.#entries.delete(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The next to try, by priority, then age. It leaves the queue; `failed` puts it back. */
  pop(nowMs: number): { key: string; uid: string; attempts: number; sinceMs: number } | undefined {
    let best: Entry | undefined;
    for (const entry of this.#entries.values()) {
      if (entry.state.at === "backoff" && entry.state.dueMs <= nowMs) entry.state = { at: "active" };
      if (entry.state.at === "active" && (!best || isBefore(entry, best))) best = entry;
    }
    if (best) this.#entries.delete(best.key);
    return best;
  }

  /** No node fits: it waits for a change. `retry`: an error had nothing to do with the pod, so back-off is enough. */
  failed(
    pod: { key: string; uid: string; priority: number; attempts: number; sinceMs: number },
    nowMs: number,
    why: "unschedulable" | "retry",
  ): void {
    const attempts = pod.attempts + 1;
    this.#entries.set(pod.key, {
      ...pod,
      attempts,
      state:
        why === "retry"
          ? { at: "backoff", dueMs: nowMs + backoffMs(attempts) }
          : { at: "unschedulable", sinceMs: nowMs },
    });
  }

  /** Something changed that may let pods fit: each gets another try, after its back-off. */
  moveAll(nowMs: number): void {
    for (const entry of this.#entries.values()) if (entry.state.at === "unschedulable") this.#wake(entry, nowMs);
  }

  /** When `pop` may give something, epoch ms; undefined: only a change can bring work. */
  nextDueMs(nowMs: number): number | undefined {
    let due: number | undefined;
    for (const { state } of this.#entries.values()) {
      const at =
        state.at === "active" ? nowMs : state.at === "backoff" ? state.dueMs : state.sinceMs + MAX_UNSCHEDULABLE_MS;
      if (due === undefined || at < due) due = at;
    }
    return due;
  }

  /** Wakes those that have been unschedulable for too long. */
  releaseStale(nowMs: number): void {
    for (const entry of this.#entries.values()) {
      const { state } = entry;
      if (state.at === "unschedulable" && state.sinceMs + MAX_UNSCHEDULABLE_MS <= nowMs) this.#wake(entry, nowMs);
    }
  }

  #wake(entry: Entry, nowMs: number): void {
    const failedAtMs = entry.state.at === "unschedulable" ? entry.state.sinceMs : nowMs;
    const dueMs = failedAtMs + backoffMs(entry.attempts);
    entry.state = entry.attempts === 0 || dueMs <= nowMs ? { at: "active" } : { at: "backoff", dueMs };
  }
}

function backoffMs(attempts: number): number {
  return Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** Math.min(attempts - 1, 10));
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.priority === b.priority ? a.sinceMs < b.sinceMs : a.priority > b.priority;
}
