import type { ChangeBatch, ChangeSubscriber } from "./interface.ts";
import type { RevisionRow } from "./revision-table.ts";
import type { StoreName } from "./store-name.ts";

/** Bounds of one batch: what a subscriber takes in in one go. The last change may exceed the second. */
const MAX_BATCH_CHANGES = 500;
const MAX_BATCH_CHARS = 1024 * 1024;
/** How soon after a write the cursor is saved: late enough to save rows, sooner than hibernation (10 s). */
export const SAVE_CURSOR_AFTER_MS = 5_000;
/**
 * Least time between two batches: what is written in a burst goes together, as each batch costs the subscriber a turn
 * of everything it does. A change after a quiet time waits for the next turn only, so that the writer's answer is first.
 */
export const BATCH_INTERVAL_MS = 10;
const FIRST_RETRY_MS = 1_000;
/** A subscriber that comes back after long waits no longer than this for what it missed. */
const MAX_RETRY_MS = 60_000;

/** The log, as far as the feed reads it. */
export interface FeedSource {
  newest(): number;
  compacted(): number;
  after(revision: number): Iterable<RevisionRow>;
}

/**
 * Feeds one subscriber: one batch at a time, in order, each change at least once. After a failure it waits, doubling;
 * the store's alarm then calls `run` again.
 */
export class ChangeFeed {
  readonly name: string;
  readonly #store: StoreName;
  readonly #source: FeedSource;
  readonly #target: () => ChangeSubscriber;
  readonly #wakeBy: (atMs: number) => void;
  #cursor: number;
  #saved: number;
  #isRunning = false;
  #failures = 0;
  #retryAtMs = 0;
  #lastSentMs = 0;

  constructor(options: {
    name: string;
    store: StoreName;
    source: FeedSource;
    /** The revision up to which the subscriber surely has everything. */
    cursor: number;
    target: () => ChangeSubscriber;
    /** Has to see to it that at this time (epoch ms) `run` is called and the cursor saved. */
    wakeBy: (atMs: number) => void;
  }) {
    this.name = options.name;
    this.#store = options.store;
    this.#source = options.source;
    this.#cursor = this.#saved = options.cursor;
    this.#target = options.target;
    this.#wakeBy = options.wakeBy;
  }

  /** Whether the subscriber has everything. */
  get isDone(): boolean {
    return this.#cursor >= this.#source.newest();
  }

  /** The cursor if the saved one is behind it, and takes it for saved. */
  takeUnsavedCursor(): number | null {
    if (this.#cursor === this.#saved) return null;
    this.#saved = this.#cursor;
    return this.#cursor;
  }

  /** Sends what is there to be sent, unless it is doing so or is waiting after a failure. Never rejects. */
  async run(nowMs: number): Promise<void> {
    if (this.#isRunning || this.isDone) return;
    const waitMs = this.#retryAtMs - nowMs;
    // More than any wait: the clock was set back meanwhile.
    if (waitMs > 0 && waitMs <= MAX_RETRY_MS) {
      this.#wakeBy(this.#retryAtMs);
      return;
    }
    this.#isRunning = true;
    try {
      while (!this.isDone) {
        await scheduler.wait(pauseMs(this.#lastSentMs, Date.now()));
        if (this.isDone) break; // the store was emptied meanwhile
        this.#lastSentMs = Date.now();
        const batch = nextBatch(this.#store, this.#cursor, this.#source);
        await this.#target().onChanges(batch);
        this.#cursor = batch.toRevision;
        this.#failures = 0;
      }
      this.#wakeBy(Date.now() + SAVE_CURSOR_AFTER_MS);
    } catch (cause) {
      // Whatever it was (the subscriber restarted, threw, was deployed anew), the answer is to send it again.
      const delayMs = retryDelayMs(this.#failures++);
      this.#retryAtMs = Date.now() + delayMs;
      if (this.#failures === 1)
        console.warn("change feed", { ...this.#store, to: this.name, delayMs, cause: String(cause) });
      this.#wakeBy(this.#retryAtMs);
    } finally {
      this.#isRunning = false;
    }
  }
}

/** How long the next batch has to wait. A clock that was set back is no reason to wait longer. */
export const pauseMs = (lastSentMs: number, nowMs: number) =>
  Math.min(Math.max(0, lastSentMs + BATCH_INTERVAL_MS - nowMs), BATCH_INTERVAL_MS);

/** How long to wait after the n-th failure in a row, counted from 0. */
export const retryDelayMs = (failures: number) => Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS);

/**
 * The next changes after a cursor. If some of them are compacted away, fromRevision is not cursor + 1: the subscriber
 * sees the gap and lists anew.
 */
export function nextBatch({ cluster, group, resource }: StoreName, cursor: number, source: FeedSource): ChangeBatch {
  const start = Math.max(cursor, source.compacted());
  const batch: ChangeBatch = {
    cluster,
    group,
    resource,
    fromRevision: start + 1,
    toRevision: source.newest(),
    changes: [],
  };
  let chars = 0;
  for (const { type, key, revision, value } of source.after(start)) {
    if (batch.changes.length >= MAX_BATCH_CHANGES || chars >= MAX_BATCH_CHARS) {
      batch.toRevision = revision - 1;
      break;
    }
    batch.changes.push({ type, key, revision, value });
    chars += value.length;
  }
  return batch;
}
