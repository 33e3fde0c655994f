import type { Key, StoredValue } from "./interface.ts";
import type { RevisionRow } from "./revision-table.ts";

/** Bound of what is kept of one store; its objects share an isolate's memory with others. */
export const MAX_KEPT_CHARS = 4 * 1024 * 1024;

/** The newest states of the objects last read or written, so that reading one takes no query. The longest unused go first. */
export class CurrentStates {
  readonly #states = new Map<Key, StoredValue>();
  #chars = 0;

  get(key: Key): StoredValue | undefined {
    const state = this.#states.get(key);
    if (!state) return undefined;
    this.#states.delete(key);
    this.#states.set(key, state);
    return state;
  }

  keep(state: StoredValue): void {
    this.#drop(state.key);
    this.#states.set(state.key, state);
    this.#chars += state.value.length;
    for (const oldest of this.#states.keys()) {
      if (this.#chars <= MAX_KEPT_CHARS) return;
      this.#drop(oldest);
    }
  }

  /** Takes in what one commit changed. */
  apply(rows: RevisionRow[]): void {
    for (const { type, key, revision, value } of rows) {
      if (type === "DELETED") this.#drop(key);
      else this.keep({ key, revision, value });
    }
  }

  #drop(key: Key): void {
    const state = this.#states.get(key);
    if (!state) return;
    this.#states.delete(key);
    this.#chars -= state.value.length;
  }
}
