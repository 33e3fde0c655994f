import type { Log } from "../log/index.ts";
import { type BaseOptions, ownerChain, renderBase } from "./base.ts";
import { applyRules, readTable } from "./nft.ts";
import type { Piece } from "./pieces.ts";
import { Applied, diff, renderWhole } from "./transaction.ts";

/** What is wanted, by Service: told when it is asked for, since it is much more than what it is made from. */
export interface Pieces {
  all(): Iterable<readonly [service: string, piece: Piece]>;
  /** Null: nothing is wanted of it any more. */
  of(service: string): Piece | null;
}

/** One family's table in the kernel, brought to what is wanted by one transaction at a time. */
export interface TableSync {
  /**
   * Writes what changed, or the whole at the first time, after a failure, and when it is asked for.
   * @param changed the Services that may have changed
   * @returns whether it was the whole
   * @throws Error with what nft says; the next sync writes the whole
   */
  sync(options: BaseOptions, pieces: Pieces, changed: Iterable<string>): Promise<boolean>;
  /** The next sync writes the whole, even if one is under way. */
  distrust(): void;
  /** When the whole was last written (ms); never as long as it is under way. */
  wholeWrittenMs(): number;
  /** Whether emptied chains wait to be deleted: a sync without changes does it, a little later. */
  hasStale(): boolean;
}

/** @param mark stands in every transaction, by which it is known as ours */
export function createTableSync({ log, mark }: { log: Log; mark: string }): TableSync {
  let applied: Applied | undefined;
  let base = "";
  let doubts = 0;
  let wholeWrittenMs = Number.NEGATIVE_INFINITY;

  async function writeWhole(options: BaseOptions, base: readonly string[], pieces: Pieces): Promise<Applied> {
    const { family, table } = options;
    const found = (await readTable(family, table)) ?? { chains: [], sets: [] };
    const startedMs = Date.now();
    wholeWrittenMs = Number.POSITIVE_INFINITY;
    const whole = new Applied();
    const lines = renderWhole(`${family} ${table}`, pieces.all(), { found, applied: whole, nowMs: startedMs });
    await applyRules(concat(base, lines, signature(options, mark))).finally(() => {
      wholeWrittenMs = Date.now();
    });
    log("info", "service rules written", { family, table, services: whole.size, ms: Date.now() - startedMs });
    return whole;
  }

  /** @returns `known`, which is then as the kernel has it */
  async function writeChange(
    options: BaseOptions,
    known: Applied,
    wanted: Iterable<readonly [string, Piece | null]>,
  ): Promise<Applied> {
    const { lines, commit } = diff(`${options.family} ${options.table}`, known, wanted, Date.now());
    if (lines.length > 0) await applyRules(concat(lines, signature(options, mark)));
    commit();
    return known;
  }

  return {
    async sync(options, pieces, changed) {
      const lines = renderBase(options);
      const baseNow = lines.join("\n");
      const known = base === baseNow ? applied : undefined;
      const doubtsBefore = doubts;
      applied = undefined; // until it has succeeded
      const after = known
        ? await writeChange(options, known, withPieces(changed, pieces))
        : await writeWhole(options, lines, pieces);
      base = baseNow;
      if (doubts === doubtsBefore) applied = after;
      return !known;
    },
    distrust() {
      doubts++;
      applied = undefined;
    },
    wholeWrittenMs: () => wholeWrittenMs,
    hasStale: () => (applied?.stale.size ?? 0) > 0,
  };
}

/** A rule in a chain that no packet comes through. */
const signature = ({ family, table, owner }: BaseOptions, mark: string): string[] => {
  const chain = `${family} ${table} ${ownerChain(owner)}`;
  return [`flush chain ${chain}`, `add rule ${chain} counter comment "${mark}"`];
};

function* withPieces(changed: Iterable<string>, pieces: Pieces): Generator<readonly [string, Piece | null], void> {
  for (const service of changed) yield [service, pieces.of(service)];
}

function* concat(...all: Iterable<string>[]): Generator<string, void> {
  for (const each of all) yield* each;
}
