import type { Import } from "./imports.ts";

/**
 * The shortest way by which a file, as it is loaded, loads one below a folder; undefined: there is none.
 * Types do not count, nor does what is loaded later (`import()`).
 */
export function findWay(imports: Import[], from: string, folder: string): string[] | undefined {
  const graph = new Map<string, string[]>();
  for (const { from, to, isTypeOnly, isLazy } of imports) {
    if (!isTypeOnly && !isLazy) graph.set(from, [...(graph.get(from) ?? []), to]);
  }
  const ways = new Map([[from, [from]]]);
  for (const [file, way] of ways) {
    if (file.startsWith(folder)) return way;
    for (const next of graph.get(file) ?? []) if (!ways.has(next)) ways.set(next, [...way, next]);
  }
  return undefined;
}
