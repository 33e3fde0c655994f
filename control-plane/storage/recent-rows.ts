import type { RevisionRow } from "./revision-table.ts";

/** Bounds of what is kept in memory; what is older is read from the table. */
const MAX_ROWS = 128;
const MAX_CHARS = 512 * 1024;

/** The newest writes, kept so that subscribers and watchers who are nearly up to date need no query. */
export class RecentRows {
  #rows: RevisionRow[] = [];
  #chars = 0;

  /** @param rows of one commit, following on those before without a gap */
  push(rows: RevisionRow[]): void {
    for (const row of rows) this.#chars += row.value.length;
    this.#rows.push(...rows);
    let drop = 0;
    while (this.#rows.length - drop > MAX_ROWS || this.#chars > MAX_CHARS)
      this.#chars -= this.#rows[drop++]!.value.length;
    if (drop > 0) this.#rows = this.#rows.slice(drop);
  }

  /** All writes after a revision, in order; null if they are not all here. */
  after(revision: number): RevisionRow[] | null {
    const first = this.#rows[0]?.revision;
    if (first === undefined || first > revision + 1) return null;
    return this.#rows.slice(revision + 1 - first);
  }
}
