import type { Log } from "../log/index.ts";
import { type BaseOptions, ownerChain, renderBase } from "./base.ts";
import { applyRules, readTable } from "./nft.ts";
import type { Piece } from "./pieces.ts";
import { type Applied, diff, renderWhole } from "./transaction.ts";

/** One family's table in the kernel, brought to what is wanted by one transaction at a time. */
export interface TableSync {
  /**
   * Writes what changed, or the whole at the first time, after a failure, and when it is asked for.
   * @param pieces all that are wanted
   * @param changed the keys of those that may have changed
   * @returns whether it was the whole
   * @throws Error with what nft says; the next sync writes the whole
   */
  sync(options: BaseOptions, pieces: ReadonlyMap<string, Piece>, changed: Iterable<string>): Promise<boolean>;
  /** The next sync writes the whole, even if one is under way. */
  distrust(): void;
  /** Whether emptied chains wait to be deleted: a sync without changes does it, a little later. */
  hasStale(): boolean;
}

/** @param mark stands in every transaction, by which it is known as ours */
export function createTableSync({ log, mark }: { log: Log; mark: string }): TableSync {
  let applied: Applied | undefined;
  let base = "";
  let doubts = 0;

  async function writeWhole(
    options: BaseOptions,
    lines: readonly string[],
    pieces: ReadonlyMap<string, Piece>,
  ): Promise<Applied> {
    const { family, table } = options;
    const found = (await readTable(family, table)) ?? { chains: [], sets: [] };
    const startedMs = Date.now();
    const whole = renderWhole(`${family} ${table}`, pieces, found, startedMs);
    await applyRules([...lines, ...whole.lines, ...signature(options, mark)]);
    log("info", "service rules written", { family, table, ports: pieces.size, ms: Date.now() - startedMs });
    return whole.applied;
  }

  /** @returns `known`, which is then as the kernel has it */
  async function writeChange(
    options: BaseOptions,
    known: Applied,
    wanted: ReadonlyMap<string, Piece | null>,
  ): Promise<Applied> {
    const { lines, commit } = diff(`${options.family} ${options.table}`, known, wanted, Date.now());
    if (lines.length > 0) await applyRules([...lines, ...signature(options, mark)]);
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
        ? await writeChange(options, known, new Map([...changed].map((key) => [key, pieces.get(key) ?? null])))
        : await writeWhole(options, lines, pieces);
      base = baseNow;
      if (doubts === doubtsBefore) applied = after;
      return !known;
    },
    distrust() {
      doubts++;
      applied = undefined;
    },
    hasStale: () => (applied?.stale.size ?? 0) > 0,
  };
}

/** A rule in a chain that no packet comes through. */
const signature = ({ family, table, owner }: BaseOptions, mark: string): string[] => {
  const chain = `${family} ${table} ${ownerChain(owner)}`;
  return [`flush chain ${chain}`, `add rule ${chain} counter comment "${mark}"`];
};
