/**
 * Holds the directions of imports (rules.ts), forbids cycles, and keeps what starts on a fresh clone from generated code.
 * Exit code 1, and what to use instead, when one is wrong.
 */
import { dirname } from "node:path";
import { findCycles } from "./cycles.ts";
import { readImports } from "./imports.ts";
import { findWay } from "./reach.ts";
import { findFault, STARTS_UNGENERATED } from "./rules.ts";

const ROOT = dirname(dirname(import.meta.dirname));
const FOLDERS = ["shared", "agent", "control-plane", "cli", "scripts", "test", "bench", "migrations"];

const imports = readImports(ROOT, FOLDERS);
const faults = imports.map(findFault).filter((fault) => fault !== undefined);
const cycles = findCycles(imports).map((files) => `${files.join(" → ")}: move what they share into a file of its own`);
const early = STARTS_UNGENERATED.flatMap((file) => {
  const way = findWay(imports, file, "generated/");
  return way
    ? [`${way.join(" → ")}: ${file} starts before anything is generated; import less, or import() it later`]
    : [];
});
for (const line of [...faults, ...cycles, ...early]) console.error(line);
console.log(`layers: ${imports.length} imports, ${faults.length} in a wrong direction, ${cycles.length} cycles`);
if (faults.length + cycles.length + early.length > 0) process.exitCode = 1;
