import { MAX_FORWARDED_STREAMS } from "../../shared/tunnel/index.ts";

/** Of those, what one address may have: a pod that opens watches without end must leave room for the others. */
export const MAX_STREAMS_PER_SOURCE = 256;

/** Counts who has how many of something, for each source and over all. */
export class Places {
  readonly #bySource = new Map<string, number>();
  readonly #most: number;
  readonly #mostPerSource: number;
  #total = 0;

  constructor({ most = MAX_FORWARDED_STREAMS, mostPerSource = MAX_STREAMS_PER_SOURCE } = {}) {
    this.#most = most;
    this.#mostPerSource = mostPerSource;
  }

  /** Gives the place back when called, once; undefined when there is none. */
  take(source: string): (() => void) | undefined {
    const held = this.#bySource.get(source) ?? 0;
    if (this.#total >= this.#most || held >= this.#mostPerSource) return undefined;
    this.#bySource.set(source, held + 1);
    this.#total++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#total--;
      const left = (this.#bySource.get(source) ?? 1) - 1;
      if (left > 0) this.#bySource.set(source, left);
      else this.#bySource.delete(source);
    };
  }
}
