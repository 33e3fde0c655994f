/**
 * The tables of a ResourceStore, as an ordered list: entry N brings a database of version N to version N + 1.
 * Entries are never changed once released; a change of the schema is a new entry.
 */
export const RESOURCE_STORE_MIGRATIONS: readonly string[] = [
  `
  -- The log and the values at once: one row for each write, kept until compaction. max(revision) is the store's
  -- counter, so the newest row outlives everything.
  CREATE TABLE revisions (
    revision   INTEGER PRIMARY KEY,
    key        TEXT NOT NULL,
    -- 1 added, 2 modified, 3 deleted
    type       INTEGER NOT NULL CHECK (type IN (1, 2, 3)),
    -- The revision of the same key that this one replaced; null for an object that is new.
    previous   INTEGER CHECK ((type = 1) = (previous IS NULL)),
    -- JSON {labels, fields}; null for a deletion, which has those of its previous row.
    -- Stands before the value so that selecting does not read a value's overflow pages.
    attributes TEXT,
    -- Null for a deletion that carries the previous row's value.
    value      TEXT
  );

  -- The newest state. No second index anywhere: a create writes two rows.
  CREATE TABLE objects (
    key      TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    uid      TEXT NOT NULL,
    -- JSON array of the claims held (to release them without an index on claims); null for none.
    claims   TEXT
  ) WITHOUT ROWID;

  CREATE TABLE claims (
    claim TEXT PRIMARY KEY,
    key   TEXT NOT NULL
  ) WITHOUT ROWID;

  -- Who is fed, and the revision up to which they surely have everything (they may have more).
  CREATE TABLE subscribers (
    name   TEXT PRIMARY KEY,
    cursor INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE meta (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    version    INTEGER NOT NULL,
    -- The oldest revision whose state can still be listed.
    compacted  INTEGER NOT NULL,
    -- The next compaction: up to compactTo, at compactAtMs (epoch). Null when there is nothing to compact.
    compactTo   INTEGER,
    compactAtMs INTEGER
  );
  INSERT INTO meta VALUES (1, 1, 1, NULL, NULL);
  `,
];
