import type { Clock } from "./clock.ts";

const WINDOW_MS = 10_000;
/** More than a key with work to do needs (the scheduler's one key runs for every pod); a circle reaches it soon. */
const MAX_RUNS_PER_WINDOW = 3000;
/** From then on it comes ten times a second. */
const PAUSE_MS = 100;

/** Finds keys that come again and again, so that a mistake in one controller does not take the whole object's time. */
export class HotKeys {
  readonly #clock: Clock;
  #windowEndMs = 0;
  #runs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a run.
   * @param onHot called once per window
   * @returns how long the key has to wait first, in ms; 0: it may run
   */
  count(key: string, onHot: () => void): number {
    const nowMs = this.#clock.nowMs();
    // Also when the clock was set back: the window would last for as long.
    if (nowMs >= this.#windowEndMs || nowMs < this.#windowEndMs - WINDOW_MS) {
      this.#windowEndMs = nowMs + WINDOW_MS;
      this.#runs = new Map();
    }
    const runs = (this.#runs.get(key) ?? 0) + 1;
    this.#runs.set(key, runs);
    if (runs === MAX_RUNS_PER_WINDOW + 1) onHot();
    return runs > MAX_RUNS_PER_WINDOW ? PAUSE_MS : 0;
  }
}
