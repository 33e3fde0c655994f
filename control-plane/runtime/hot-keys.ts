import type { Clock } from "./clock.ts";

const WINDOW_MS = 10_000;
/** Far more than a key with work to do needs; a controller that answers its own writes in a circle reaches it at once. */
const MAX_RUNS_PER_WINDOW = 300;

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
    if (nowMs >= this.#windowEndMs) {
      this.#windowEndMs = nowMs + WINDOW_MS;
      this.#runs = new Map();
    }
    const runs = (this.#runs.get(key) ?? 0) + 1;
    this.#runs.set(key, runs);
    if (runs === MAX_RUNS_PER_WINDOW + 1) onHot();
    return runs > MAX_RUNS_PER_WINDOW ? this.#windowEndMs - nowMs : 0;
  }
}
