/** Holds the directions of imports (rules.ts) and forbids cycles. Exit code 1, and what to use instead, when one is wrong. */
import { dirname } from "node:path";
import { findCycles } from "./cycles.ts";
import { readImports } from "./imports.ts";
import { findFault } from "./rules.ts";

const ROOT = dirname(dirname(import.meta.dirname));
const FOLDERS = ["shared", "agent", "control-plane", "cli", "scripts", "test", "bench", "migrations"];

const imports = readImports(ROOT, FOLDERS);
const faults = imports.map(findFault).filter((fault) => fault !== undefined);
const cycles = findCycles(imports).map((files) => `${files.join(" → ")}: move what they share into a file of its own`);
for (const line of [...faults, ...cycles]) console.error(line);
console.log(`layers: ${imports.length} imports, ${faults.length} in a wrong direction, ${cycles.length} cycles`);
if (faults.length + cycles.length > 0) process.exitCode = 1;
