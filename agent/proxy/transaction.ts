import { AFFINITY_SET, type Element, type Piece, SERVICE_CHAIN } from "./pieces.ts";

/** Elements on one line: long lines are parsed fast, endless ones take memory. */
const ELEMENTS_A_LINE = 1_000;

/**
 * By how many pieces each value of an entry is wanted. Two Services may claim one address and port from outside: the first
 * by name has it, whoever came first.
 */
interface Wanted {
  set: Element["set"];
  key: string;
  uses: Map<string, number>;
}

/** What the kernel has of Services, as far as it was put there by the transactions so far. */
export class Applied {
  /** By the key of a Service's port. */
  readonly pieces = new Map<string, Piece>();
  /** By set and key. */
  readonly elements = new Map<string, Wanted>();
  /** Chains that nothing leads to any more, and since when (ms): emptied, to be deleted. */
  readonly stale = new Map<string, number>();
}

/**
 * A map's entry and the chain that it led to cannot go in one transaction: kernels before 6.2 take a moment to see that
 * the chain is not used.
 */
export const STALE_MS = 2_000;

export interface Change {
  /** For `nft -f`; empty when there is nothing to do. */
  lines: string[];
  /** Makes `applied` what it is once the lines have been carried out. */
  commit(): void;
}

/**
 * What leads from the applied state to the wanted pieces. Its size depends on the pieces that changed alone. Pure, until
 * `commit`.
 * @param wanted by key, those that may have changed; null: it is to go
 */
export function diff(at: string, applied: Applied, wanted: ReadonlyMap<string, Piece | null>, nowMs: number): Change {
  const before = { chains: [] as string[], sets: [] as string[] };
  const rules: string[] = [];
  const deltas = new Map<string, Wanted>();
  const gone = { chains: new Set<string>(), sets: new Set<string>() };
  const kept = { chains: new Set<string>(), sets: new Set<string>() };
  const changed: [string, Piece | null][] = [];

  for (const [key, piece] of wanted) {
    const old = applied.pieces.get(key);
    if (!piece && !old) continue;
    changed.push([key, piece]);
    for (const [name, lines] of piece?.chains ?? []) {
      kept.chains.add(name);
      const known = old?.chains.get(name);
      if (known && !applied.stale.has(name) && sameLines(known, lines)) continue;
      before.chains.push(`add chain ${at} ${name}`, `flush chain ${at} ${name}`);
      rules.push(...lines.map((line) => `add rule ${at} ${name} ${line}`));
    }
    for (const [name, seconds] of piece?.affinitySets ?? []) {
      kept.sets.add(name);
      if (old?.affinitySets.has(name)) continue;
      before.sets.push(affinitySet(at, name, seconds));
    }
    for (const name of old?.chains.keys() ?? []) gone.chains.add(name);
    for (const name of old?.affinitySets.keys() ?? []) gone.sets.add(name);
    for (const element of old?.elements ?? []) count(deltas, element, -1);
    for (const element of piece?.elements ?? []) count(deltas, element, 1);
  }

  const removals: Element[] = [];
  const additions: Element[] = [];
  const next = new Map([...deltas].map(([id, delta]) => [id, sum(applied.elements.get(id), delta)]));
  for (const [id, after] of next) {
    const [old, now] = [elementOf(applied.elements.get(id)), elementOf(after)];
    if (old && now && old.value === now.value) continue;
    if (old) removals.push(old);
    if (now) additions.push(now);
  }
  const staleChains = [...gone.chains].filter((name) => !kept.chains.has(name));
  const staleSets = [...gone.sets].filter((name) => !kept.sets.has(name));
  const deletable = [...applied.stale]
    .filter(([name, sinceMs]) => nowMs - sinceMs >= STALE_MS && !kept.chains.has(name))
    .map(([name]) => name);

  const lines = [
    ...before.sets,
    ...before.chains,
    ...rules,
    ...elementLines(at, "delete", removals),
    ...elementLines(at, "add", additions),
    ...staleChains.map((name) => `flush chain ${at} ${name}`),
    ...staleSets.map((name) => `delete set ${at} ${name}`),
    ...deletable.map((name) => `delete chain ${at} ${name}`),
  ];
  return {
    lines,
    commit() {
      for (const [key, piece] of changed) {
        if (piece) applied.pieces.set(key, piece);
        else applied.pieces.delete(key);
      }
      for (const [id, after] of next) {
        if (after.uses.size > 0) applied.elements.set(id, after);
        else applied.elements.delete(id);
      }
      for (const name of kept.chains) applied.stale.delete(name);
      for (const name of deletable) applied.stale.delete(name);
      for (const name of staleChains) applied.stale.set(name, nowMs);
    },
  };
}

/** What of Services a table holds already: an earlier run's. */
export interface Found {
  chains: string[];
  sets: string[];
}

/**
 * The whole of the Services, for a table whose base was just written anew in the same transaction: its maps are empty, its
 * Services' chains may be there. Sets that remember clients stay as they are.
 */
export function renderWhole(at: string, pieces: ReadonlyMap<string, Piece>, found: Found, nowMs: number) {
  const applied = new Applied();
  const { lines, commit } = diff(at, applied, pieces, nowMs);
  commit();
  const chains = new Set([...pieces.values()].flatMap((piece) => [...piece.chains.keys()]));
  const sets = new Set([...pieces.values()].flatMap((piece) => [...piece.affinitySets.keys()]));
  const staleChains = found.chains.filter((name) => SERVICE_CHAIN.test(name) && !chains.has(name));
  const staleSets = found.sets.filter((name) => AFFINITY_SET.test(name) && !sets.has(name));
  for (const name of staleChains) applied.stale.set(name, nowMs);
  return {
    applied,
    lines: [
      ...lines,
      ...staleChains.map((name) => `flush chain ${at} ${name}`),
      ...staleSets.map((name) => `delete set ${at} ${name}`),
    ],
  };
}

const affinitySet = (at: string, name: string, seconds: number) =>
  `add set ${at} ${name} { type ${at.startsWith("ip6 ") ? "ipv6_addr" : "ipv4_addr"} ; flags dynamic,timeout ; timeout ${seconds}s ; }`;

function count(deltas: Map<string, Wanted>, { set, key, value = "" }: Element, by: number): void {
  const id = `${set} ${key}`;
  const delta = deltas.get(id) ?? { set, key, uses: new Map<string, number>() };
  delta.uses.set(value, (delta.uses.get(value) ?? 0) + by);
  deltas.set(id, delta);
}

function sum(before: Wanted | undefined, delta: Wanted): Wanted {
  const uses = new Map(before?.uses);
  for (const [value, by] of delta.uses) {
    const left = (uses.get(value) ?? 0) + by;
    if (left > 0) uses.set(value, left);
    else uses.delete(value);
  }
  return { set: delta.set, key: delta.key, uses };
}

/** The entry as the kernel has it; none if nobody wants it. */
function elementOf(wanted: Wanted | undefined): Element | undefined {
  if (!wanted || wanted.uses.size === 0) return undefined;
  const { set, key, uses } = wanted;
  let value: string | undefined;
  for (const each of uses.keys()) if (value === undefined || each < value) value = each;
  return { set, key, ...(value && { value }) };
}

const sameLines = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((line, i) => line === b[i]);

function elementLines(at: string, verb: "add" | "delete", elements: readonly Element[]): string[] {
  const bySet = Map.groupBy(elements, ({ set }) => set);
  return [...bySet].flatMap(([set, all]) => {
    const texts = all.map(({ key, value }) => (value === undefined ? key : `${key} : ${value}`));
    const lines: string[] = [];
    for (let i = 0; i < texts.length; i += ELEMENTS_A_LINE) {
      lines.push(`${verb} element ${at} ${set} { ${texts.slice(i, i + ELEMENTS_A_LINE).join(" , ")} }`);
    }
    return lines;
  });
}
