/** A table of facts in shared/schema/facts: by Go package, lines of a definition's name and its words. */
export type FactTable = Record<string, string>;

export const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

/** The words of each definition, by its full name. @throws Error if a definition has two lines */
export function readFacts(table: FactTable): Map<string, string[]> {
  const facts = new Map<string, string[]>();
  for (const [goPackage, text] of Object.entries(table)) {
    for (const line of text.split("\n")) {
      const [name, ...rest] = words(line);
      if (!name) continue;
      const full = `${goPackage}.${name}`;
      if (facts.has(full)) throw new Error(`${full} has two lines of facts`);
      facts.set(full, rest);
    }
  }
  return facts;
}
