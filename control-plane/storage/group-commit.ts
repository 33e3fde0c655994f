import type { WriteOp, WriteResult } from "./interface.ts";

/** How many writes may wait. Callers are requests in progress, so more of them means that the store is drowning. */
const MAX_QUEUED_WRITES = 4_096;
/** And how much they may hold, as the memory is shared: any client may send values of the largest size at once. */
const MAX_QUEUED_CHARS = 32 * 1024 * 1024;
/** Bounds one transaction, and so how long everything else waits for it. */
const MAX_WRITES_PER_COMMIT = 256;

interface Queued {
  op: WriteOp;
  resolve: (result: WriteResult) => void;
  reject: (error: unknown) => void;
}

/**
 * Applies a write at once when nothing is under way, and those that arrive until it is on disk together after it: a
 * commit costs an fsync, a write need not. (Waiting for a turn of the event loop first would cost a lone client 1 ms
 * for each write; not waiting for the disk would give each of 16 clients a commit of its own. Measured in
 * bench/storage.)
 */
export class GroupCommit {
  readonly #commit: (ops: WriteOp[]) => WriteResult[];
  readonly #untilDurable: () => Promise<void>;
  #queue: Queued[] = [];
  #queuedChars = 0;
  #isRunning = false;

  constructor(options: {
    /** Applies all in one transaction, in order, each on its own; throws only if none was applied. */
    commit: (ops: WriteOp[]) => WriteResult[];
    /** Resolves when what was committed is on disk. */
    untilDurable: () => Promise<void>;
  }) {
    this.#commit = options.commit;
    this.#untilDurable = options.untilDurable;
  }

  /**
   * Resolves with each write's own result, `busy` when too many wait. The platform's output gate holds the answer back
   * until it is on disk.
   * @throws Error when a transaction as a whole failed
   */
  submit(ops: readonly WriteOp[]): Promise<WriteResult[]> {
    const results = ops.map((op) => this.#queueUp(op));
    if (!this.#isRunning) void this.#run();
    return Promise.all(results);
  }

  #queueUp(op: WriteOp): Promise<WriteResult> {
    if (this.#queue.length >= MAX_QUEUED_WRITES || this.#queuedChars > MAX_QUEUED_CHARS)
      return Promise.resolve({ ok: false, reason: "busy" });
    return new Promise((resolve, reject) => {
      this.#queue.push({ op, resolve, reject });
      this.#queuedChars += charsOf(op);
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, MAX_WRITES_PER_COMMIT);
      for (const { op } of batch) this.#queuedChars -= charsOf(op);
      this.#commitNext(batch);
      // A commit that fails on the way to the disk breaks the object, and with it every answer that waits at the gate.
      await this.#untilDurable().catch(() => undefined);
    }
    this.#isRunning = false;
  }

  #commitNext(batch: Queued[]): void {
    let results: WriteResult[];
    try {
      results = this.#commit(batch.map(({ op }) => op));
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
  }
}

const charsOf = (op: WriteOp): number => op.value?.length ?? 0;
