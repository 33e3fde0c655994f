import { type Backoff, backoffMs } from "./backoff.ts";
import type { Clock } from "./clock.ts";
import { HotKeys } from "./hot-keys.ts";
import { yieldToIo } from "./yield-to-io.ts";

export interface WorkQueueOptions<K> {
  clock: Clock;
  /** How many keys may be in hand at once; never the same key twice. */
  concurrency: number;
  /** Of keys that fail; client-go's default if it is not given. */
  backoff?: Backoff;
  /** Takes one key. A rejection puts the key back with back-off; a TerminalError drops it. */
  work(key: K): Promise<Requeue>;
  /** Told whenever the earliest delayed key may have changed, and when the queue falls idle. */
  onChange(): void;
  onError(key: K, error: unknown, failures: number): void;
}

/** What a reconcile asks for: nothing, or the key again after so many milliseconds. */
export type Requeue = { afterMs?: number };

export const done: Requeue = {};

export const requeueAfter = (afterMs: number | undefined): Requeue => (afterMs === undefined ? done : { afterMs });

/** Retrying cannot help: the key is dropped until something changes. */
export class TerminalError extends Error {}

/**
 * Keys to work on: each at most once in the queue and once in hand; a key added while in hand comes again. Delayed
 * keys are bounded by the number of objects, as there is one entry per key.
 */
export class WorkQueue<K extends string = string> {
  readonly #options: WorkQueueOptions<K>;
  readonly #queued = new Set<K>();
  readonly #inHand = new Set<K>();
  readonly #again = new Set<K>();
  readonly #delayed = new Map<K, number>();
  readonly #failures = new Map<K, number>();
  readonly #hotKeys: HotKeys;
  #paused = true;

  constructor(options: WorkQueueOptions<K>) {
    this.#options = options;
    this.#hotKeys = new HotKeys(options.clock);
  }

  /** Work begins (the caches are filled). */
  start(): void {
    this.#paused = false;
    this.#pump();
  }

  get isIdle(): boolean {
    return this.#queued.size === 0 && this.#inHand.size === 0;
  }

  get length(): number {
    return this.#queued.size;
  }

  add(key: K): void {
    if (this.#inHand.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#queued.add(key);
    this.#pump();
  }

  /** Adds the key later; of two delays for one key the earlier counts. */
  addAfter(key: K, delayMs: number): void {
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const atMs = this.#options.clock.nowMs() + delayMs;
    const before = this.#delayed.get(key);
    if (before !== undefined && before <= atMs) return;
    this.#delayed.set(key, atMs);
    this.#options.onChange();
  }

  /** Epoch ms of the earliest delayed key. */
  nextDueMs(): number | undefined {
    let earliest: number | undefined;
    for (const atMs of this.#delayed.values()) if (earliest === undefined || atMs < earliest) earliest = atMs;
    return earliest;
  }

  /** Queues the delayed keys whose time has come. */
  releaseDue(): void {
    const nowMs = this.#options.clock.nowMs();
    for (const [key, atMs] of this.#delayed) {
      if (atMs > nowMs) continue;
      this.#delayed.delete(key);
      this.add(key);
    }
  }

  #pump(): void {
    if (this.#paused) return;
    for (const key of this.#queued) {
      if (this.#inHand.size >= this.#options.concurrency) return;
      this.#queued.delete(key);
      this.#inHand.add(key);
      // Whoever looks at the state now says when to look again.
      this.#delayed.delete(key);
      void this.#take(key);
    }
  }

  async #take(key: K): Promise<void> {
    await yieldToIo();
    const waitMs = this.#hotKeys.count(key, () => this.#options.onError(key, new Error("comes too often"), 0));
    if (waitMs > 0) this.addAfter(key, waitMs);
    else await this.#work(key);
    this.#inHand.delete(key);
    if (this.#again.delete(key)) this.#queued.add(key);
    this.#pump();
    if (this.isIdle) this.#options.onChange();
  }

  async #work(key: K): Promise<void> {
    try {
      const { afterMs } = await this.#options.work(key);
      this.#failures.delete(key);
      if (afterMs !== undefined) this.addAfter(key, Math.max(1, afterMs));
    } catch (error) {
      this.#failed(key, error);
    }
  }

  #failed(key: K, error: unknown): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#options.onError(key, error, failures);
    if (error instanceof TerminalError) {
      this.#failures.delete(key);
      return;
    }
    this.#failures.set(key, failures);
    this.addAfter(key, backoffMs(failures, this.#options.backoff));
  }
}
