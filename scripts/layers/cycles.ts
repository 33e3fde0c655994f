import type { Import } from "./imports.ts";

/** Rings of files that import each other (types do not count: they are gone when the code runs). Each ring once. */
export function findCycles(imports: Import[]): string[][] {
  const graph = new Map<string, string[]>();
  for (const { from, to, isTypeOnly } of imports) {
    if (!isTypeOnly) graph.set(from, [...(graph.get(from) ?? []), to]);
  }
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) {
      cycles.push([...path.slice(at), file]);
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}
