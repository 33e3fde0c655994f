import type { Log } from "../kubelet/index.ts";
import { type BaseOptions, renderBase } from "./base.ts";
import { applyRules, readTable } from "./nft.ts";
import type { Piece } from "./pieces.ts";
import { type Applied, diff, renderWhole } from "./transaction.ts";

/** One family's table in the kernel, brought to what is wanted by one transaction at a time. */
export interface TableSync {
  /**
   * Writes what changed, or the whole at the first time, after a failure, and when it is asked for.
   * @param pieces all that are wanted
   * @param changed the keys of those that may have changed
   * @throws Error with what nft says; the next sync writes the whole
   */
  sync(options: BaseOptions, pieces: ReadonlyMap<string, Piece>, changed: Iterable<string>): Promise<void>;
  /** The next sync writes the whole. */
  distrust(): void;
  /** Whether emptied chains wait to be deleted: a sync without changes does it, a little later. */
  hasStale(): boolean;
}

export function createTableSync({ log, onPid }: { log: Log; onPid: (pid: number) => void }): TableSync {
  let applied: Applied | undefined;
  let base = "";

  async function writeWhole(options: BaseOptions, pieces: ReadonlyMap<string, Piece>): Promise<void> {
    const { family, table } = options;
    const found = (await readTable(family, table)) ?? { chains: [], sets: [] };
    const lines = renderBase(options);
    const startedMs = Date.now();
    const whole = renderWhole(`${family} ${table}`, pieces, found, startedMs);
    await applyRules([...lines, ...whole.lines], onPid);
    applied = whole.applied;
    base = lines.join("\n");
    log("info", "service rules written", { family, table, ports: pieces.size, ms: Date.now() - startedMs });
  }

  return {
    async sync(options, pieces, changed) {
      const isWhole = !applied || base !== renderBase(options).join("\n");
      const known = applied;
      applied = undefined;
      if (isWhole || !known) return writeWhole(options, pieces);
      const wanted = new Map([...changed].map((key) => [key, pieces.get(key) ?? null]));
      const { lines, commit } = diff(`${options.family} ${options.table}`, known, wanted, Date.now());
      if (lines.length > 0) await applyRules(lines, onPid);
      commit();
      applied = known;
    },
    distrust() {
      applied = undefined;
    },
    hasStale: () => (applied?.stale.size ?? 0) > 0,
  };
}
