import type { Clock } from "./clock.ts";

/** As upstream's ExpectationsTimeout: a lost event must not stop a controller for ever. */
export const EXPECTATIONS_TIMEOUT_MS = 5 * 60_000;

interface Expected {
  creations: number;
  /** Keys of the objects whose deletion is awaited. */
  deletions: Set<string>;
  sinceMs: number;
}

/**
 * What a controller has written and not yet seen in its cache. While something is outstanding it must not create or
 * delete by what the cache shows, else it would do it twice.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param expected.deletions keys of the objects that are about to be deleted */
  expect(key: string, { creations = 0, deletions = [] }: { creations?: number; deletions?: string[] }): void {
    this.#byKey.set(key, { creations, deletions: new Set(deletions), sinceMs: this.#clock.nowMs() });
  }

  expectCreations(key: string, count: number): void {
    this.expect(key, { creations: count });
  }

  expectDeletions(key: string, objects: string[]): void {
    this.expect(key, { deletions: objects });
  }

  /** One awaited creation was seen, or will not come. */
  creationObserved(key: string): void {
    const expected = this.#byKey.get(key);
    if (expected && expected.creations > 0) expected.creations -= 1;
  }

  deletionObserved(key: string, object: string): void {
    this.#byKey.get(key)?.deletions.delete(object);
  }

  /** Nothing is outstanding, or it is so old that its event must have been lost. */
  areSatisfied(key: string): boolean {
    const expected = this.#byKey.get(key);
    if (!expected) return true;
    if (expected.creations === 0 && expected.deletions.size === 0) return true;
    return this.#clock.nowMs() - expected.sinceMs > EXPECTATIONS_TIMEOUT_MS;
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }
}
