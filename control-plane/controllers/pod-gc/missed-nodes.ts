import type { Notes } from "../../runtime/index.ts";

const PREFIX = "pod-gc/";

/** Since when nodes are missed that pods are bound to: waiting goes on after an eviction of the object from memory. */
export class MissedNodes {
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** Names of all that are missed. */
  names(): string[] {
    return [...this.#notes.list<number>(PREFIX)].map(([key]) => key.slice(PREFIX.length));
  }

  has(node: string): boolean {
    return this.#notes.get(PREFIX + node) !== undefined;
  }

  /** Epoch ms; from now on, if it was not missed yet. */
  sinceMs(node: string, nowMs: number): number {
    const sinceMs = this.#notes.get<number>(PREFIX + node);
    // A time to come is one of a clock that was set back.
    if (sinceMs !== undefined && sinceMs <= nowMs) return sinceMs;
    this.#notes.put(PREFIX + node, nowMs);
    return nowMs;
  }

  forget(node: string): void {
    if (this.has(node)) this.#notes.delete(PREFIX + node);
  }
}
