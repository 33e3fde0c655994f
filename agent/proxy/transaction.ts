import { Elements } from "./elements.ts";
import { AFFINITY_SET, type Element, type Piece, SERVICE_CHAIN } from "./pieces.ts";
import { packTrace, type Trace, traceOf, unpackTrace } from "./trace.ts";

/** Elements on one line: long lines are parsed fast, endless ones take memory. */
const ELEMENTS_A_LINE = 1_000;

/** What the kernel has of Services, as far as it was put there by the transactions so far. */
export class Applied {
  /** By Service. */
  readonly #traces = new Map<string, string>();
  readonly elements = new Elements();
  /** Chains that nothing leads to any more, and since when (ms): emptied, to be deleted. */
  readonly stale = new Map<string, number>();

  get size(): number {
    return this.#traces.size;
  }

  traceOf(service: string): Trace | undefined {
    const packed = this.#traces.get(service);
    return packed === undefined ? undefined : unpackTrace(packed);
  }

  /** @param trace undefined: it is gone */
  set(service: string, trace: Trace | undefined): void {
    if (trace) this.#traces.set(service, packTrace(trace));
    else this.#traces.delete(service);
  }
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
 * @param wanted by Service, those that may have changed; null: it is to go
 */
export function diff(
  at: string,
  applied: Applied,
  wanted: Iterable<readonly [service: string, piece: Piece | null]>,
  nowMs: number,
): Change {
  const before = { chains: [] as string[], sets: [] as string[] };
  const rules: string[] = [];
  const delta = applied.elements.delta();
  const gone = { chains: new Set<string>(), sets: new Set<string>() };
  const kept = { chains: new Set<string>(), sets: new Set<string>() };
  const changed: [string, Trace | undefined][] = [];

  for (const [service, piece] of wanted) {
    const old = applied.traceOf(service);
    const now = piece ? traceOf(piece) : undefined;
    if (!now && !old) continue;
    changed.push([service, now]);
    for (const [name, hash] of now?.chains ?? []) {
      kept.chains.add(name);
      if (old?.chains.get(name) === hash && !applied.stale.has(name)) continue;
      before.chains.push(...emptyChain(at, name));
      rules.push(...rulesOf(at, name, piece!.chains.get(name)!));
    }
    for (const [name, seconds] of piece?.affinitySets ?? []) {
      kept.sets.add(name);
      if (!old?.sets.has(name)) before.sets.push(affinitySet(at, name, seconds));
    }
    for (const name of old?.chains.keys() ?? []) gone.chains.add(name);
    for (const name of old?.sets ?? []) gone.sets.add(name);
    for (const element of old?.elements ?? []) delta.count(element, -1);
    for (const element of now?.elements ?? []) delta.count(element, 1);
  }

  const { removals, additions } = delta.changes();
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
      for (const [service, trace] of changed) applied.set(service, trace);
      delta.commit();
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
 * Services' chains may be there. Sets that remember clients stay as they are. Told as it goes: of ten thousand Services the
 * lines are more than all that is remembered of them.
 * @param applied a new one; it is what the lines make of the table, once all of them are taken and carried out
 */
export function* renderWhole(
  at: string,
  pieces: Iterable<readonly [service: string, piece: Piece]>,
  { found, applied, nowMs }: { found: Found; applied: Applied; nowMs: number },
): Generator<string, void> {
  const staleChains = new Set(found.chains.filter((name) => SERVICE_CHAIN.test(name)));
  const staleSets = new Set(found.sets.filter((name) => AFFINITY_SET.test(name)));
  const delta = applied.elements.delta();
  for (const [service, piece] of pieces) {
    for (const [name, seconds] of piece.affinitySets) {
      staleSets.delete(name);
      yield affinitySet(at, name, seconds);
    }
    for (const name of piece.chains.keys()) {
      staleChains.delete(name);
      yield* emptyChain(at, name);
    }
    for (const [name, lines] of piece.chains) yield* rulesOf(at, name, lines);
    for (const element of piece.elements) delta.count(element, 1);
    applied.set(service, traceOf(piece));
  }
  delta.commit();
  yield* elementLines(at, "add", applied.elements.all());
  for (const name of staleChains) {
    yield `flush chain ${at} ${name}`;
    applied.stale.set(name, nowMs);
  }
  for (const name of staleSets) yield `delete set ${at} ${name}`;
}

const emptyChain = (at: string, name: string) => [`add chain ${at} ${name}`, `flush chain ${at} ${name}`];

const rulesOf = (at: string, name: string, lines: readonly string[]) =>
  lines.map((line) => `add rule ${at} ${name} ${line}`);

const affinitySet = (at: string, name: string, seconds: number) =>
  `add set ${at} ${name} { type ${at.startsWith("ip6 ") ? "ipv6_addr" : "ipv4_addr"} ; flags dynamic,timeout ; timeout ${seconds}s ; }`;

/** A line for so many elements of a set, in the order in which the sets come first. */
function* elementLines(at: string, verb: "add" | "delete", elements: Iterable<Element>): Generator<string, void> {
  const waiting = new Map<string, string[]>();
  const line = (set: string, texts: string[]) => `${verb} element ${at} ${set} { ${texts.join(" , ")} }`;
  for (const { set, key, value } of elements) {
    const texts = waiting.get(set) ?? [];
    waiting.set(set, texts);
    texts.push(value === undefined ? key : `${key} : ${value}`);
    if (texts.length < ELEMENTS_A_LINE) continue;
    yield line(set, texts);
    texts.length = 0;
  }
  for (const [set, texts] of waiting) if (texts.length > 0) yield line(set, texts);
}
