import type { Clock } from "./clock.ts";

/** A sleeper that may be woken. Wakes that come while nobody sleeps are not lost, and several are one. */
export interface Wake {
  notify(): void;
  /**
   * Settles when notified, when the time is up, or when the signal is aborted. Without a time it waits for the others.
   * @returns whether it was notified
   */
  wait(timeoutMs: number | undefined, clock: Clock, signal: AbortSignal): Promise<boolean>;
}

export function createWake(): Wake {
  let pending = false;
  let resolveWait: (() => void) | undefined;
  return {
    notify() {
      pending = true;
      resolveWait?.();
    },
    async wait(timeoutMs, clock, signal) {
      if (!pending && !signal.aborted) {
        const timer = new AbortController();
        await Promise.race([
          new Promise<void>((resolve) => {
            resolveWait = resolve;
            signal.addEventListener("abort", () => resolve(), { once: true, signal: timer.signal });
          }),
          ...(timeoutMs === undefined ? [] : [clock.sleep(timeoutMs, timer.signal)]),
        ]);
        timer.abort();
      }
      resolveWait = undefined;
      const wasNotified = pending;
      pending = false;
      return wasNotified;
    },
  };
}
