/** Time as an argument, so that back-off and deadlines are tested without waiting. */
export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number;
  /** Settles after `ms`, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Timers beyond this fire at once; whoever sleeps that long looks again anyway. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, MAX_TIMER_MS));
      signal?.addEventListener("abort", done, { once: true });
    }),
};
