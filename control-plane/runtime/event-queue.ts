import type { Log } from "./log.ts";

/** Events that may wait to be written; past it new ones are dropped (client-go: 1000). */
const MAX_QUEUED_EVENTS = 1000;
/** Events written at the same time. */
const WRITERS = 4;

/** Writes events beside the work that records them: recording never fails and never waits. */
export class EventQueue<T extends { reason?: string }> {
  readonly #write: (event: T) => Promise<void>;
  readonly #log: Log;
  readonly #queue: T[] = [];
  #writers = 0;

  /** @param write must not reject */
  constructor(write: (event: T) => Promise<void>, log: Log) {
    this.#write = write;
    this.#log = log;
  }

  push(event: T): void {
    if (this.#queue.length >= MAX_QUEUED_EVENTS) {
      this.#log.error("event dropped: queue is full", { reason: event.reason });
      return;
    }
    this.#queue.push(event);
    if (this.#writers < WRITERS) {
      this.#writers += 1;
      void this.#drain();
    }
  }

  async #drain(): Promise<void> {
    await undefined;
    for (let event = this.#queue.shift(); event; event = this.#queue.shift()) await this.#write(event);
    this.#writers -= 1;
  }
}

/** `<object>.<nanoseconds in hex>`; the clock has milliseconds only, a counter keeps names apart. */
export class EventNames {
  #sequence = 0n;

  next(objectName: string, nowMs: number): string {
    this.#sequence = (this.#sequence + 1n) % 1_000_000n;
    return `${objectName}.${(BigInt(nowMs) * 1_000_000n + this.#sequence).toString(16)}`;
  }
}
