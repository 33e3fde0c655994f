import type { Attributes, ChangeType, Key } from "./interface.ts";
import { codec } from "./value-codec.ts";

const TYPE_CODES = { ADDED: 1, MODIFIED: 2, DELETED: 3 } as const;
const TYPE_NAMES: Record<number, ChangeType> = { 1: "ADDED", 2: "MODIFIED", 3: "DELETED" };

/** A write as the log keeps it. */
export interface RevisionRow {
  revision: number;
  key: Key;
  type: ChangeType;
  /** The revision that this one replaced; null for an object that is new. */
  previous: number | null;
  /** For DELETED those of the last state. */
  attributes: Attributes;
  /** For DELETED the final text. */
  value: string;
}

/** What list and watch need of one stored state. */
export interface StateRow {
  key: Key;
  revision: number;
  attributes: Attributes;
  value: string;
}

/** A state still unread: attributes and value as they lie in the database. */
export type SealedState = { key: Key; revision: number; attributes: string; value: string };

type SqlRow = {
  revision: number;
  key: string;
  type: number;
  previous: number | null;
  attributes: string | null;
  value: string | null;
};

/** Statements on `revisions`: the log of writes, which also holds the values. */
export class RevisionTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The revision of the last write; 0 before the first. */
  newest(): number {
    return this.#sql.exec<{ newest: number | null }>("SELECT max(revision) AS newest FROM revisions").one().newest ?? 0;
  }

  /** `value` null: a deletion that carries the value of the row before it. */
  insert(
    row: Omit<RevisionRow, "value" | "attributes"> & { attributes: Attributes | null; value: string | null },
  ): void {
    this.#sql.exec(
      "INSERT INTO revisions (revision, key, type, previous, attributes, value) VALUES (?, ?, ?, ?, ?, ?)",
      row.revision,
      row.key,
      TYPE_CODES[row.type],
      row.previous,
      row.attributes === null ? null : JSON.stringify(row.attributes),
      row.value === null ? null : codec.seal(row.value),
    );
  }

  /** The state that a write left; null if there is no such row (compacted) or if it is a deletion. */
  state(revision: number): StateRow | null {
    const sealed = this.sealedState(revision);
    return sealed && { ...sealed, attributes: JSON.parse(sealed.attributes), value: codec.open(sealed.value) };
  }

  /** The same, its texts as they lie in the database. */
  sealedState(revision: number): SealedState | null {
    const [row] = this.#sql
      .exec<SealedState>(
        "SELECT key, revision, attributes, value FROM revisions WHERE revision = ? AND attributes IS NOT NULL",
        revision,
      )
      .toArray();
    return row ?? null;
  }

  /** Writes after a revision, in order. Lazy: finish with the iterator before the next await. */
  *after(revision: number): Generator<RevisionRow> {
    const cursor = this.#sql.exec<SqlRow>("SELECT * FROM revisions WHERE revision > ? ORDER BY revision", revision);
    for (const row of cursor) yield this.#complete(row);
  }

  /** Which revision each key changed after `revision` had at it; null for a key that was not there. */
  undo(revision: number): Map<Key, number | null> {
    const undone = new Map<Key, number | null>();
    const rows = this.#sql.exec<{ key: string; previous: number | null }>(
      "SELECT key, previous FROM revisions WHERE revision > ? ORDER BY revision",
      revision,
    );
    for (const { key, previous } of rows) if (!undone.has(key)) undone.set(key, previous);
    return undone;
  }

  /**
   * Deletes what no reader at or after revision `to` can see: rows replaced in [from, to] and deletions there.
   * The newest row stays, as the store's counter.
   */
  compact(from: number, to: number): void {
    this.#sql.exec(
      `DELETE FROM revisions WHERE revision IN
         (SELECT previous FROM revisions WHERE revision BETWEEN ? AND ? AND previous IS NOT NULL)`,
      from,
      to,
    );
    this.#sql.exec(
      `DELETE FROM revisions WHERE revision BETWEEN ? AND ? AND type = ? AND revision < (SELECT max(revision) FROM revisions)`,
      from,
      to,
      TYPE_CODES.DELETED,
    );
  }

  /** Whether a compaction of what was written after `revision` would ever delete something. */
  hasGarbageAfter(revision: number): boolean {
    const query = "SELECT 1 FROM revisions WHERE revision > ? AND previous IS NOT NULL LIMIT 1";
    return this.#sql.exec(query, revision).toArray().length > 0;
  }

  /** A deletion without a text of its own takes the last state's, which compaction keeps as long as the deletion. */
  #complete(row: SqlRow): RevisionRow {
    const last = row.attributes === null || row.value === null ? this.state(row.previous ?? 0) : null;
    return {
      revision: row.revision,
      key: row.key,
      type: TYPE_NAMES[row.type]!,
      previous: row.previous,
      attributes:
        row.attributes === null ? (last?.attributes ?? { labels: {}, fields: {} }) : JSON.parse(row.attributes),
      value: row.value === null ? (last?.value ?? "") : codec.open(row.value),
    };
  }
}
