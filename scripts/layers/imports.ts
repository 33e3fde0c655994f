import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

export interface Import {
  /** Path of the file, from the project's root. */
  from: string;
  /** Path of the file it imports, or a bare name: `node:fs`, `zod`. */
  to: string;
  isTypeOnly: boolean;
  /** `import()`: loaded when the code gets there. */
  isLazy: boolean;
}

/** The formatter puts each import's end on a line of its own form, so that a pattern finds them all. */
const IMPORT =
  /^(?:import|export)(\s+type)?\s[^;"']*?from\s+["']([^"']+)["']|^import\s+["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;

/** The imports that a file's text names, types included. */
export function parseImports(file: string, text: string): Import[] {
  return [...text.matchAll(IMPORT)].map((match) => {
    const specifier = match[2] ?? match[3] ?? match[4]!;
    const to = specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : specifier;
    return { from: file, to, isTypeOnly: match[1] !== undefined, isLazy: match[4] !== undefined };
  });
}

/** All imports of the TypeScript files below the folders. */
export function readImports(root: string, folders: string[]): Import[] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
  return files.flatMap((file) => parseImports(file, readFileSync(join(root, file), "utf8")));
}
