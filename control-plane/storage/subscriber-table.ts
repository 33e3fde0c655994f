/** Statements on `subscribers`: up to which revision each surely has been fed. */
export class SubscriberTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** By subscriber's name. */
  cursors(): Map<string, number> {
    const rows = this.#sql.exec<{ name: string; cursor: number }>("SELECT name, cursor FROM subscribers");
    return new Map(rows.toArray().map(({ name, cursor }) => [name, cursor]));
  }

  setCursor(name: string, cursor: number): void {
    this.#sql.exec(
      "INSERT INTO subscribers (name, cursor) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor",
      name,
      cursor,
    );
  }
}
