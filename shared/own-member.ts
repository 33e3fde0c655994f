/**
 * A table's entry under a key that came from a client; undefined when it has none. Reading the table itself would find
 * what every object inherits: `constructor`, say.
 */
export const ownMember = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;
