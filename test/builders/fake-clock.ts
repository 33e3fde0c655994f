import type { Clock } from "../../agent/clock/index.ts";

/** A clock that goes only when told to. */
export class FakeClock implements Clock {
  #nowMs: number;
  #sleepers: { untilMs: number; wake: () => void }[] = [];

  constructor(nowMs = Date.parse("2026-01-01T00:00:00Z")) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      this.#sleepers.push({ untilMs: this.#nowMs + ms, wake: resolve });
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Lets time go by: sleepers wake in order, each with what follows from its waking before the next. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settle();
    for (;;) {
      this.#sleepers.sort((a, b) => a.untilMs - b.untilMs);
      const next = this.#sleepers[0];
      if (!next || next.untilMs > untilMs) break;
      this.#sleepers.shift();
      this.#nowMs = Math.max(this.#nowMs, next.untilMs);
      next.wake();
      await settle();
    }
    this.#nowMs = untilMs;
    await settle();
  }
}

/** Lets everything that waits for nothing but its turn go on. */
const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
