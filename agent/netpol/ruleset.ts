import type { Protocol } from "./pod-facts.ts";
import type { Direction } from "./policy.ts";

/** The table as data: what `render.ts` writes for nft, and what tests judge packets by. */
export interface Ruleset {
  sets: Map<string, ElementSet>;
  /** Those that are jumped to; the hooks' own are always the same (`render.ts`). */
  chains: Map<string, Chain>;
}

export interface ElementSet {
  type: SetType;
  /** To the verdict in a map, to nothing in a set. */
  elements: Map<string, string>;
}

export type SetType = { key: "address" | "pair" | "endpoint" | "range"; family: 4 | 6; isVerdictMap?: true };

export interface Chain {
  direction: Direction;
  rules: Rule[];
}

/** What a packet must meet to be accepted: everything that is given. Or another chain to ask, or the end. */
export type Rule =
  | { verdict: "accept"; peer?: PeerMatch; port?: PortMatch }
  | { verdict: "jump"; chain: string }
  | { verdict: "drop" };

export type PeerMatch =
  | { family: 4 | 6; set: string }
  /** Within the block, and in none of the holes. */
  | { family: 4 | 6; cidr: string; except: string[] };

export type PortMatch =
  /** Ranges are disjoint and in order; undefined: all ports. */
  | { protocol: Protocol; ranges?: (readonly [from: number, to: number])[] }
  /** A set of destination address, protocol and port. */
  | { family: 4 | 6; set: string };

/** What leads from one ruleset to the next. */
export interface Change {
  newSets: [name: string, type: SetType][];
  removedSets: [name: string, type: SetType][];
  added: [name: string, elements: [element: string, verdict: string][]][];
  removed: [name: string, elements: string[]][];
  /** New, or with other rules. */
  chains: [name: string, chain: Chain][];
  removedChains: string[];
}

export const emptyRuleset = (): Ruleset => ({ sets: new Map(), chains: new Map() });

export const isEmptyChange = (change: Change): boolean => Object.values(change).every((list) => list.length === 0);

/** A ruleset that knows what was touched since it was last taken up: a change costs as much as what changed. */
export class RulesetDraft {
  readonly ruleset = emptyRuleset();
  readonly #taken = emptyRuleset();
  readonly #touchedElements = new Map<string, Set<string>>();
  readonly #touchedChains = new Set<string>();

  /** Whether anything was touched since it was last taken up. */
  get isTouched(): boolean {
    return this.#touchedElements.size + this.#touchedChains.size > 0;
  }

  putSet(name: string, type: SetType): void {
    if (this.ruleset.sets.has(name)) return;
    this.ruleset.sets.set(name, { type, elements: new Map() });
    this.#touch(name);
  }

  dropSet(name: string): void {
    const set = this.ruleset.sets.get(name);
    if (!set) return;
    const touched = this.#touch(name);
    for (const element of set.elements.keys()) touched.add(element);
    this.ruleset.sets.delete(name);
  }

  /** @param verdict in a map; undefined takes the element out */
  setElement(name: string, element: string, verdict: string | undefined): void {
    const elements = this.ruleset.sets.get(name)!.elements;
    if (elements.get(element) === verdict) return;
    if (verdict === undefined) elements.delete(element);
    else elements.set(element, verdict);
    this.#touch(name).add(element);
  }

  putChain(name: string, chain: Chain): void {
    this.ruleset.chains.set(name, chain);
    this.#touchedChains.add(name);
  }

  dropChain(name: string): void {
    this.ruleset.chains.delete(name);
    this.#touchedChains.add(name);
  }

  /** What has changed since the last call, in an order that does not depend on how it came about. */
  take(): Change {
    const change: Change = { newSets: [], removedSets: [], added: [], removed: [], chains: [], removedChains: [] };
    for (const [name, touched] of inOrder(this.#touchedElements)) this.#takeSet(name, touched, change);
    for (const name of [...this.#touchedChains].sort()) {
      const before = this.#taken.chains.get(name);
      const after = this.ruleset.chains.get(name);
      if (after && JSON.stringify(before) !== JSON.stringify(after)) change.chains.push([name, after]);
      if (before && !after) change.removedChains.push(name);
      if (after) this.#taken.chains.set(name, after);
      else this.#taken.chains.delete(name);
    }
    this.#touchedElements.clear();
    this.#touchedChains.clear();
    return change;
  }

  #takeSet(name: string, touched: ReadonlySet<string>, change: Change): void {
    const before = this.#taken.sets.get(name);
    const after = this.ruleset.sets.get(name);
    if (!after) {
      if (before) change.removedSets.push([name, before.type]);
      this.#taken.sets.delete(name);
      return;
    }
    if (!before) change.newSets.push([name, after.type]);
    const taken = before ?? { type: after.type, elements: new Map<string, string>() };
    this.#taken.sets.set(name, taken);
    const added: [string, string][] = [];
    const removed: string[] = [];
    for (const element of [...touched].sort()) {
      const old = taken.elements.get(element);
      const verdict = after.elements.get(element);
      if (old === verdict) continue;
      // Of a map's element the verdict cannot be changed: it goes, and comes anew in the same transaction.
      if (old !== undefined) removed.push(element);
      if (verdict === undefined) taken.elements.delete(element);
      else {
        added.push([element, verdict]);
        taken.elements.set(element, verdict);
      }
    }
    if (added.length > 0) change.added.push([name, added]);
    if (removed.length > 0) change.removed.push([name, removed]);
  }

  #touch(name: string): Set<string> {
    const touched = this.#touchedElements.get(name) ?? new Set();
    this.#touchedElements.set(name, touched);
    return touched;
  }
}

const inOrder = <T>(map: ReadonlyMap<string, T>): [string, T][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
