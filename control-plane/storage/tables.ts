import { RESOURCE_STORE_MIGRATIONS } from "../../migrations/resource-store.ts";
import { ClaimTable } from "./claim-table.ts";
import { MetaTable } from "./meta-table.ts";
import { ObjectTable } from "./object-table.ts";
import { RevisionTable } from "./revision-table.ts";
import { SubscriberTable } from "./subscriber-table.ts";

/** A store's database, each table behind its own statements. */
export interface Tables {
  revisions: RevisionTable;
  objects: ObjectTable;
  claims: ClaimTable;
  meta: MetaTable;
  subscribers: SubscriberTable;
}

/**
 * The tables, created or brought to the newest version if need be. Writes nothing when they are.
 * @throws Error if the database is of a newer version than this code
 */
export function openTables(storage: DurableObjectStorage): Tables {
  const { sql } = storage;
  const version = databaseVersion(sql);
  if (version > RESOURCE_STORE_MIGRATIONS.length) {
    throw new Error(`the store's tables have version ${version}, newer than ${RESOURCE_STORE_MIGRATIONS.length}`);
  }
  if (version < RESOURCE_STORE_MIGRATIONS.length) {
    storage.transactionSync(() => {
      for (const statements of RESOURCE_STORE_MIGRATIONS.slice(version)) sql.exec(statements);
      sql.exec("UPDATE meta SET version = ?", RESOURCE_STORE_MIGRATIONS.length);
    });
  }
  return {
    revisions: new RevisionTable(sql),
    objects: new ObjectTable(sql),
    claims: new ClaimTable(sql),
    meta: new MetaTable(sql),
    subscribers: new SubscriberTable(sql),
  };
}

function databaseVersion(sql: SqlStorage): number {
  const isNew = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'").toArray().length === 0;
  return isNew ? 0 : sql.exec<{ version: number }>("SELECT version FROM meta").one().version;
}
