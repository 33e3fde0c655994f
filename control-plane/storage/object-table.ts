import type { Key } from "./interface.ts";
import type { KeyRange } from "./key.ts";
import type { SealedState } from "./revision-table.ts";

/** The newest state of an object; its value is the revision's row. */
export interface ObjectRow {
  key: Key;
  revision: number;
  uid: string;
  claims: string[];
}

/** Statements on `objects`: which revision of each key is the newest. */
export class ObjectTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(key: Key): ObjectRow | null {
    const [row] = this.#sql
      .exec<{ revision: number; uid: string; claims: string | null }>(
        "SELECT revision, uid, claims FROM objects WHERE key = ?",
        key,
      )
      .toArray();
    if (!row) return null;
    return { key, revision: row.revision, uid: row.uid, claims: row.claims === null ? [] : JSON.parse(row.claims) };
  }

  insert({ key, revision, uid, claims }: ObjectRow): void {
    this.#sql.exec(
      "INSERT INTO objects (key, revision, uid, claims) VALUES (?, ?, ?, ?)",
      key,
      revision,
      uid,
      packed(claims),
    );
  }

  update({ key, revision, claims }: Omit<ObjectRow, "uid">): void {
    this.#sql.exec("UPDATE objects SET revision = ?, claims = ? WHERE key = ?", revision, packed(claims), key);
  }

  delete(key: Key): void {
    this.#sql.exec("DELETE FROM objects WHERE key = ?", key);
  }

  count({ above, below }: KeyRange): number {
    const query = "SELECT count(*) AS n FROM objects WHERE key > ? AND key < ?";
    return this.#sql.exec<{ n: number }>(query, above, below).one().n;
  }

  /** How many objects of the range were last written at or before a revision. */
  countUnchangedSince(revision: number, { above, below }: KeyRange): number {
    const query = "SELECT count(*) AS n FROM objects WHERE key > ? AND key < ? AND revision <= ?";
    return this.#sql.exec<{ n: number }>(query, above, below, revision).one().n;
  }

  /** Objects last written at or before a revision, in key order. Lazy: finish with it before the next await. */
  unchangedSince(revision: number, { above, below }: KeyRange): Iterable<SealedState> {
    return this.#sql.exec<SealedState>(
      `SELECT o.key, o.revision, r.attributes, r.value
         FROM objects o CROSS JOIN revisions r ON r.revision = o.revision
        WHERE o.key > ? AND o.key < ? AND o.revision <= ? ORDER BY o.key`,
      above,
      below,
      revision,
    );
  }
}

const packed = (claims: string[]) => (claims.length === 0 ? null : JSON.stringify(claims));
