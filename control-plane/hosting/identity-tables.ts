/** Every statement of ClusterIdentity's tables. Migrations run once, in its constructor. */

const MIGRATIONS: string[] = [
  `CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE join_tokens (
     id TEXT PRIMARY KEY,
     secret_hash TEXT NOT NULL,
     created_ms INTEGER NOT NULL,
     expires_ms INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE node_credentials (
     node TEXT PRIMARY KEY,
     credential_hash TEXT NOT NULL UNIQUE,
     created_ms INTEGER NOT NULL
   ) WITHOUT ROWID;`,
];

/** The single values of a cluster. Those that end in `Wrapped` are sealed with the key derived from ROOT_SECRET. */
export type FactName =
  | "cluster"
  | "caCertificate"
  | "caCommonName"
  | "caKeyId"
  | "caPublicKeyHash"
  | "caKeyWrapped"
  | "serviceAccountKeyWrapped"
  | "serviceAccountPublicJwk"
  | "adminTokenWrapped"
  | "adminTokenHash"
  | "advertisedAddress"
  | "network";

export interface JoinTokenRow {
  id: string;
  secretHash: string;
  /** Epoch milliseconds. */
  expiresMs: number;
}

/** Brings a database of any earlier version up to date. The version is the count of migrations done. */
export function migrateIdentity(storage: DurableObjectStorage): void {
  const { sql } = storage;
  sql.exec(
    "CREATE TABLE IF NOT EXISTS schema_version (id INTEGER PRIMARY KEY CHECK (id = 0), version INTEGER NOT NULL)",
  );
  const done = sql.exec<{ version: number }>("SELECT version FROM schema_version").toArray()[0]?.version ?? 0;
  if (done >= MIGRATIONS.length) return;
  storage.transactionSync(() => {
    for (const migration of MIGRATIONS.slice(done)) sql.exec(migration);
    sql.exec("INSERT OR REPLACE INTO schema_version (id, version) VALUES (0, ?)", MIGRATIONS.length);
  });
}

export function readFact(sql: SqlStorage, name: FactName): string | undefined {
  return sql.exec<{ value: string }>("SELECT value FROM facts WHERE name = ?", name).toArray()[0]?.value;
}

/** Refuses (by the primary key) to write a fact twice: a cluster's identity is made once. */
export function insertFact(sql: SqlStorage, name: FactName, value: string): void {
  sql.exec("INSERT INTO facts (name, value) VALUES (?, ?)", name, value);
}

/** For what may change of the cluster and of the machine that serves it; the identity itself is only ever inserted. */
export function putFact(sql: SqlStorage, name: "advertisedAddress" | "network", value: string): void {
  sql.exec("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", name, value);
}

export function insertJoinToken(sql: SqlStorage, row: JoinTokenRow, nowMs: number): void {
  sql.exec(
    "INSERT INTO join_tokens (id, secret_hash, created_ms, expires_ms) VALUES (?, ?, ?, ?)",
    row.id,
    row.secretHash,
    nowMs,
    row.expiresMs,
  );
}

export function readJoinToken(sql: SqlStorage, id: string): JoinTokenRow | undefined {
  return sql
    .exec<{ id: string; secretHash: string; expiresMs: number }>(
      "SELECT id, secret_hash AS secretHash, expires_ms AS expiresMs FROM join_tokens WHERE id = ?",
      id,
    )
    .toArray()[0];
}

export function countJoinTokens(sql: SqlStorage): number {
  return sql.exec<{ n: number }>("SELECT count(*) AS n FROM join_tokens").one().n;
}

/** Forgets tokens that expired before `beforeMs`; until then a late joiner is told "expired", not "unknown". */
export function deleteJoinTokensExpiredBefore(sql: SqlStorage, beforeMs: number): void {
  sql.exec("DELETE FROM join_tokens WHERE expires_ms < ?", beforeMs);
}

/** A node has one credential: a new one takes the place of the old. */
export function putNodeCredential(sql: SqlStorage, row: { node: string; credentialHash: string }, nowMs: number): void {
  sql.exec(
    "INSERT OR REPLACE INTO node_credentials (node, credential_hash, created_ms) VALUES (?, ?, ?)",
    row.node,
    row.credentialHash,
    nowMs,
  );
}

export function findNodeByCredential(sql: SqlStorage, credentialHash: string): string | undefined {
  return sql
    .exec<{ node: string }>("SELECT node FROM node_credentials WHERE credential_hash = ?", credentialHash)
    .toArray()[0]?.node;
}

/** @returns whether there was one */
export function deleteNodeCredential(sql: SqlStorage, node: string): boolean {
  return sql.exec("DELETE FROM node_credentials WHERE node = ?", node).rowsWritten > 0;
}
