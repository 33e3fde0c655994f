import type { WriteOp, WriteResult } from "./interface.ts";

/** How many writes may wait. Callers are requests in progress, so more of them means that the store is drowning. */
const MAX_QUEUED_WRITES = 4_096;
/** Bounds one transaction, and so how long everything else waits for it. */
const MAX_WRITES_PER_COMMIT = 256;

interface Queued {
  op: WriteOp;
  resolve: (result: WriteResult) => void;
  reject: (error: unknown) => void;
}

/**
 * Gathers the writes that arrive in one turn of the event loop, or while a commit holds the thread, into one
 * transaction: a commit costs an fsync, a write need not.
 */
export class GroupCommit {
  readonly #commit: (ops: WriteOp[]) => WriteResult[];
  #queue: Queued[] = [];
  #running = false;

  /** @param commit applies all in one transaction, in order, each on its own; it throws only if none was applied */
  constructor(commit: (ops: WriteOp[]) => WriteResult[]) {
    this.#commit = commit;
  }

  /**
   * Resolves with the write's own result. The platform's output gate holds the answer back until it is on disk.
   * @throws Error when too many writes wait, or when the transaction as a whole failed
   */
  submit(op: WriteOp): Promise<WriteResult> {
    if (this.#queue.length >= MAX_QUEUED_WRITES) return Promise.reject(new Error("too many writes are waiting"));
    return new Promise((resolve, reject) => {
      this.#queue.push({ op, resolve, reject });
      if (!this.#running) this.#run();
    });
  }

  async #run() {
    this.#running = true;
    while (this.#queue.length > 0) {
      await nextTurn();
      this.#commitNext(this.#queue.splice(0, MAX_WRITES_PER_COMMIT));
    }
    this.#running = false;
  }

  #commitNext(batch: Queued[]) {
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

/** Lets calls that have arrived already be delivered. */
const nextTurn = () => scheduler.wait(0);
