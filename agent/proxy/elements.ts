import type { Element, SetName } from "./pieces.ts";

/** By how many pieces each value of an entry is wanted. */
type Uses = ReadonlyMap<string, number>;

/**
 * The entries of sets and maps, each counted. Two Services may claim one address and port from outside: the first by name
 * has it, whoever came first.
 */
export class Elements {
  /** By set and key. Nearly all have one value that one piece wants: these are no more than that value, "" in sets. */
  readonly #used = new Map<SetName, Map<string, string | Uses>>();

  *all(): Generator<Element, void> {
    for (const [set, entries] of this.#used) {
      for (const [key, uses] of entries) yield element(set, key, valueIn(uses)!);
    }
  }

  /** Counts on top of what there is, which stays as it is until `commit`. */
  delta(): ElementsDelta {
    return new ElementsDelta(this.#used);
  }
}

class ElementsDelta {
  readonly #used: Map<SetName, Map<string, string | Uses>>;
  readonly #counts = new Map<SetName, Map<string, string | Map<string, number>>>();

  constructor(used: Map<SetName, Map<string, string | Uses>>) {
    this.#used = used;
  }

  /** @param by 1, or -1 of one that is wanted no more */
  count({ set, key, value = "" }: Element, by: 1 | -1): void {
    const counts = this.#counts.get(set) ?? new Map<string, string | Map<string, number>>();
    this.#counts.set(set, counts);
    const known = counts.get(key);
    if (known === undefined && by === 1) {
      counts.set(key, value);
      return;
    }
    const uses = known instanceof Map ? known : new Map(known === undefined ? [] : [[known, 1]]);
    uses.set(value, (uses.get(value) ?? 0) + by);
    counts.set(key, uses);
  }

  /** What the kernel has to be told. */
  changes(): { removals: Element[]; additions: Element[] } {
    const removals: Element[] = [];
    const additions: Element[] = [];
    for (const [set, counts] of this.#counts) {
      for (const [key, delta] of counts) {
        const before = this.#used.get(set)?.get(key);
        const [old, now] = [valueIn(before), valueIn(sum(before, delta))];
        if (old === now) continue;
        if (old !== undefined) removals.push(element(set, key, old));
        if (now !== undefined) additions.push(element(set, key, now));
      }
    }
    return { removals, additions };
  }

  commit(): void {
    for (const [set, counts] of this.#counts) {
      const used = this.#used.get(set) ?? new Map<string, string | Uses>();
      this.#used.set(set, used);
      for (const [key, delta] of counts) {
        const after = sum(used.get(key), delta);
        if (after === undefined) used.delete(key);
        else used.set(key, after);
      }
    }
  }
}

const element = (set: SetName, key: string, value: string): Element => ({ set, key, ...(value && { value }) });

/** @returns undefined if nobody wants it any more */
function sum(before: string | Uses | undefined, delta: string | Uses): string | Uses | undefined {
  if (before === undefined && typeof delta === "string") return delta;
  const uses = new Map(typeof before === "string" ? [[before, 1]] : before);
  for (const [value, by] of typeof delta === "string" ? [[delta, 1] as const] : delta) {
    const left = (uses.get(value) ?? 0) + by;
    if (left > 0) uses.set(value, left);
    else uses.delete(value);
  }
  const [first] = uses;
  if (!first) return undefined;
  return uses.size === 1 && first[1] === 1 ? first[0] : uses;
}

/** The value that the kernel has; undefined if nobody wants the entry. */
function valueIn(uses: string | Uses | undefined): string | undefined {
  if (uses === undefined || typeof uses === "string") return uses;
  let value: string | undefined;
  for (const each of uses.keys()) if (value === undefined || each < value) value = each;
  return value;
}
