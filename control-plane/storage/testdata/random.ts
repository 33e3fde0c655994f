/** A small seeded generator (mulberry32): the same seed, the same run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** At least 0 and less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** At least 0 and less than the bound, whole. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}
