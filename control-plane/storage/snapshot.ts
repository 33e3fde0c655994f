import type { Attributes, Key, Selection, StoredValue } from "./interface.ts";
import { type KeyRange, keyRange } from "./key.ts";
import { selects, selectsAll, selectsKey } from "./selection.ts";
import type { Tables } from "./tables.ts";
import { codec } from "./value-codec.ts";

/**
 * The store's state at one revision that is not compacted, read from the newest state by taking back what was written
 * since. Holds no lock and no copy of values, so writes go on meanwhile; after an await, make it anew.
 */
export class Snapshot {
  readonly #tables: Tables;
  readonly #revision: number;
  /** Keys written since, with the revision they had; null for those that were not there. */
  readonly #undo: Map<Key, number | null>;

  constructor(tables: Tables, revision: number, newest: number) {
    this.#tables = tables;
    this.#revision = revision;
    this.#undo = revision < newest ? tables.revisions.undo(revision) : new Map();
  }

  /** What a selection takes in, in key order, after a key if given. Finish with it before the next await. */
  *select(selection: Selection, after?: Key): Generator<StoredValue> {
    if (selection.name !== undefined) {
      yield* this.#selectNamed(selection, after);
      return;
    }
    const all = selectsAll(selection);
    for (const state of this.#states(keyRange(selection.namespace, after))) {
      if (!all && !selects(selection, state.key, JSON.parse(state.attributes) as Attributes)) continue;
      yield { key: state.key, revision: state.revision, value: codec.open(state.value) };
    }
  }

  /** How many objects there are after a key, in a namespace or all. */
  count(namespace: string | undefined, after?: Key): number {
    const range = keyRange(namespace, after);
    const undone = this.#undoneIn(range).length;
    return undone + this.#tables.objects.countUnchangedSince(this.#revision, range);
  }

  *#selectNamed(selection: Selection, after?: Key): Generator<StoredValue> {
    const { namespace, name, ...rest } = selection;
    const exact = this.#get(namespace === undefined ? name! : `${namespace}/${name}`);
    if (exact) {
      const { key, revision, value, attributes } = exact;
      if ((after === undefined || key > after) && selects(selection, key, attributes)) yield { key, revision, value };
    } else if (namespace === undefined) {
      // One name in every namespace: a scan, whose other conditions are checked on the way.
      for (const item of this.select(rest, after)) if (selectsKey(selection, item.key)) yield item;
    }
  }

  #get(key: Key) {
    const undone = this.#undo.get(key);
    const revision = undone === undefined ? this.#tables.objects.get(key)?.revision : undone;
    return revision == null ? null : this.#tables.revisions.state(revision);
  }

  /** Merges what is unchanged since with what was taken back; both sorted by key. */
  *#states(range: KeyRange) {
    const undone = this.#undoneIn(range);
    let next = 0;
    for (const state of this.#tables.objects.unchangedSince(this.#revision, range)) {
      for (; next < undone.length && undone[next]!.key < state.key; next++) yield this.#undoneState(undone[next]!);
      yield state;
    }
    for (; next < undone.length; next++) yield this.#undoneState(undone[next]!);
  }

  #undoneIn({ above, below }: KeyRange): { key: Key; revision: number }[] {
    const inRange: { key: Key; revision: number }[] = [];
    for (const [key, revision] of this.#undo) {
      if (revision !== null && key > above && key < below) inRange.push({ key, revision });
    }
    return inRange.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #undoneState({ key, revision }: { key: Key; revision: number }) {
    const sealed = this.#tables.revisions.sealedState(revision);
    if (!sealed) throw new Error(`revision ${revision} of ${key} is not there to be listed at ${this.#revision}`);
    return sealed;
  }
}
