import type { Key } from "./interface.ts";

/** Statements on `claims`: things that only one object of the store may hold (a cluster IP, a node port). */
export class ClaimTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  holder(claim: string): Key | null {
    const [row] = this.#sql.exec<{ key: string }>("SELECT key FROM claims WHERE claim = ?", claim).toArray();
    return row?.key ?? null;
  }

  insert(claim: string, key: Key): void {
    this.#sql.exec("INSERT INTO claims (claim, key) VALUES (?, ?)", claim, key);
  }

  delete(claim: string): void {
    this.#sql.exec("DELETE FROM claims WHERE claim = ?", claim);
  }
}
