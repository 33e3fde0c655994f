/** What the store knows about its own log. */
export interface Meta {
  /** The oldest revision whose state can still be listed, and after which changes can be watched. */
  compacted: number;
  /** The compaction that is due next; null when there is nothing to compact. */
  next: { toRevision: number; atMs: number } | null;
}

/** Statements on `meta`, a table of one row. */
export class MetaTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(): Meta {
    const row = this.#sql
      .exec<{ compacted: number; compactTo: number | null; compactAtMs: number | null }>(
        "SELECT compacted, compactTo, compactAtMs FROM meta",
      )
      .one();
    const due = row.compactTo !== null && row.compactAtMs !== null;
    return { compacted: row.compacted, next: due ? { toRevision: row.compactTo!, atMs: row.compactAtMs! } : null };
  }

  set({ compacted, next }: Meta): void {
    this.#sql.exec(
      "UPDATE meta SET compacted = ?, compactTo = ?, compactAtMs = ?",
      compacted,
      next?.toRevision ?? null,
      next?.atMs ?? null,
    );
  }
}
