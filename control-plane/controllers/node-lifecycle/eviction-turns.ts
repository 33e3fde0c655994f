import type { Notes } from "../../runtime/index.ts";

const PREFIX = "node-zone/";

/** When a node of a zone last began to lose its pods: the next one waits, also when the object has been evicted. */
export class EvictionTurns {
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /**
   * Takes the zone's turn, if it is due.
   * @param rate nodes a second, not 0
   * @returns ms until it is; 0: it was taken
   */
  take(zone: string, rate: number, nowMs: number): number {
    const lastMs = this.#notes.get<number>(PREFIX + zone);
    // A turn in the future is one of a clock that was set back.
    const leftMs = lastMs === undefined || lastMs > nowMs ? 0 : lastMs + 1000 / rate - nowMs;
    if (leftMs > 0) return leftMs;
    this.#notes.put(PREFIX + zone, nowMs);
    return 0;
  }
}
