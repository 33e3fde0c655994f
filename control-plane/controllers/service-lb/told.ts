import type { Notes } from "../../runtime/index.ts";

const PREFIX = "service-lb/";

/**
 * Why Services wait, as their events said it last. It outlives the object's memory: each time that the controllers wake,
 * every Service that waits would say so anew otherwise.
 */
export class Told {
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** @returns whether that is new */
  note(key: string, reason: string): boolean {
    if (this.#notes.get<string>(PREFIX + key) === reason) return false;
    this.#notes.put(PREFIX + key, reason);
    return true;
  }

  /** It no longer waits, or is gone. */
  forget(key: string): void {
    if (this.#notes.get(PREFIX + key) !== undefined) this.#notes.delete(PREFIX + key);
  }

  keys(): string[] {
    return [...this.#notes.list(PREFIX)].map(([key]) => key.slice(PREFIX.length));
  }
}
