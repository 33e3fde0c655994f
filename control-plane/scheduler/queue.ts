/** First pause after a failed attempt, doubled with each, and the longest (upstream podInitialBackoffSeconds, podMaxBackoffSeconds). */
const BACKOFF = { initialMs: 1_000, maxMs: 10_000 };
/** A pod that found no node is tried again after so long, whatever happened (upstream podMaxInUnschedulablePodsDuration). */
export const MAX_UNSCHEDULABLE_MS = 300_000;

interface Entry {
  key: string;
  uid: string;
  priority: number;
  /** When it was first queued: among equals the oldest goes first. */
  sinceMs: number;
  attempts: number;
  /** Plugins that said no the last time: only what may change their mind wakes the pod. Empty: anything may. */
  rejectedBy: ReadonlySet<string>;
}

const BY_NOBODY: ReadonlySet<string> = new Set();

/**
 * Pods that wait for a node: active ones are ready to be tried, those in back-off wait for their time, the
 * unschedulable for something in the cluster to change. The last may be very many, and nothing but a change walks
 * them. Bounded by the number of pods. Time is an argument and never goes back.
 */
export class SchedulingQueue {
  readonly #active = new Map<string, Entry>();
  readonly #backoff = new Map<string, { entry: Entry; dueMs: number }>();
  #pause = BACKOFF;
  /** In the order in which they failed. */
  readonly #unschedulable = new Map<string, { entry: Entry; failedMs: number }>();

  /** Holds from the next failure on. */
  setBackoff(backoff: { initialMs: number; maxMs: number }): void {
    this.#pause = backoff;
  }

  get size(): number {
    return this.#active.size + this.#backoff.size + this.#unschedulable.size;
  }

  /**
   * A pending pod appeared or changed. A change makes an unschedulable pod worth another try.
   * @param plugins whose mind the change may change; undefined: anyone's
   */
  add(pod: { key: string; uid: string; priority: number }, nowMs: number, plugins?: ReadonlySet<string>): void {
    const entry = this.#find(pod.key);
    if (!entry || entry.uid !== pod.uid) {
      this.remove(pod.key);
      this.#active.set(pod.key, { ...pod, sinceMs: nowMs, attempts: 0, rejectedBy: BY_NOBODY });
      return;
    }
    entry.priority = pod.priority;
    if (concerns(entry, plugins)) this.#wake(pod.key, nowMs);
  }

  /** It cannot be tried yet, and was not: it waits for a change that these plugins heed. */
  hold(pod: ReturnType<SchedulingQueue["pop"]> & object, nowMs: number, rejectedBy: ReadonlySet<string>): void {
    this.remove(pod.key);
    this.#unschedulable.set(pod.key, { entry: { ...pod, rejectedBy }, failedMs: nowMs });
  }

  remove(key: string): void {
    this.#active.delete(key);
    this.#backoff.delete(key);
    this.#unschedulable.delete(key);
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  /** The next to try, by priority, then age. It leaves the queue; `failed` puts it back. */
  pop(nowMs: number): { key: string; uid: string; priority: number; attempts: number; sinceMs: number } | undefined {
    for (const [key, { entry, dueMs }] of this.#backoff) {
      if (dueMs > nowMs) continue;
      this.#backoff.delete(key);
      this.#active.set(key, entry);
    }
    let best: Entry | undefined;
    for (const entry of this.#active.values()) if (!best || isBefore(entry, best)) best = entry;
    if (best) this.#active.delete(best.key);
    return best;
  }

  /** No node fits: it waits for a change. `retry`: an error had nothing to do with the pod, so back-off is enough. */
  failed(
    pod: { key: string; uid: string; priority: number; attempts: number; sinceMs: number },
    nowMs: number,
    why: "retry" | { rejectedBy: ReadonlySet<string> },
  ): void {
    const rejectedBy = why === "retry" ? BY_NOBODY : why.rejectedBy;
    const entry = { ...pod, attempts: pod.attempts + 1, rejectedBy };
    this.remove(pod.key);
    if (why === "retry") this.#backoff.set(pod.key, { entry, dueMs: nowMs + this.#backoffMs(entry.attempts) });
    else this.#unschedulable.set(pod.key, { entry, failedMs: nowMs });
  }

  /**
   * Something changed that may let pods fit: each gets another try, after its back-off.
   * @param plugins whose mind it may change; undefined: anyone's
   * @param isWorthwhile asked once more for each pod that would be tried again, by its key and what rejected it
   */
  moveAll(
    nowMs: number,
    plugins?: ReadonlySet<string>,
    isWorthwhile: (key: string, rejectedBy: ReadonlySet<string>) => boolean = () => true,
  ): void {
    for (const [key, { entry }] of this.#unschedulable) {
      if (concerns(entry, plugins) && isWorthwhile(key, entry.rejectedBy)) this.#wake(key, nowMs);
    }
  }

  /** When `pop` may give something, epoch ms; undefined: only a change can bring work. */
  nextDueMs(nowMs: number): number | undefined {
    if (this.#active.size > 0) return nowMs;
    let due = Number.POSITIVE_INFINITY;
    for (const { dueMs } of this.#backoff.values()) due = Math.min(due, dueMs);
    for (const { failedMs } of this.#unschedulable.values()) {
      due = Math.min(due, failedMs + MAX_UNSCHEDULABLE_MS);
      break; // the first of them failed first
    }
    return due === Number.POSITIVE_INFINITY ? undefined : due;
  }

  /** Wakes those that have been unschedulable for too long. */
  releaseStale(nowMs: number): void {
    for (const [key, { failedMs }] of this.#unschedulable) {
      if (failedMs + MAX_UNSCHEDULABLE_MS > nowMs) return;
      this.#wake(key, nowMs);
    }
  }

  #backoffMs(attempts: number): number {
    const { initialMs, maxMs } = this.#pause;
    return attempts === 0 ? 0 : Math.min(maxMs, initialMs * 2 ** Math.min(attempts - 1, 10));
  }

  #find(key: string): Entry | undefined {
    return this.#active.get(key) ?? this.#backoff.get(key)?.entry ?? this.#unschedulable.get(key)?.entry;
  }

  /** Does nothing for a pod that is not unschedulable. */
  #wake(key: string, nowMs: number): void {
    const waiting = this.#unschedulable.get(key);
    if (!waiting) return;
    const { entry, failedMs } = waiting;
    this.#unschedulable.delete(key);
    const dueMs = failedMs + this.#backoffMs(entry.attempts);
    if (dueMs <= nowMs) this.#active.set(key, entry);
    else this.#backoff.set(key, { entry, dueMs });
  }
}

function concerns({ rejectedBy }: Entry, plugins: ReadonlySet<string> | undefined): boolean {
  if (!plugins || rejectedBy.size === 0) return true;
  for (const plugin of rejectedBy) if (plugins.has(plugin)) return true;
  return false;
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.priority === b.priority ? a.sinceMs < b.sinceMs : a.priority > b.priority;
}
