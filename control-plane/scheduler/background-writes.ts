/** Writes (bindings, reports) under way at once; deciding goes on meanwhile, on assumed state. */
const MAX_WRITES = 16;

/** What is written beside the next decisions. */
export class BackgroundWrites {
  readonly #running = new Set<Promise<void>>();

  get isFull(): boolean {
    return this.#running.size >= MAX_WRITES;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** @param work must not reject */
  run(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  /** Resolves when any of them is done. */
  async anyDone(): Promise<void> {
    await Promise.race(this.#running);
  }
}
