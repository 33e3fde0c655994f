import { copyFileSync, readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";

/** A log is cut at this size; the part before goes to `<name>.log.1`, so that a home holds twice this per process. */
export const MAX_LOG_BYTES = 16 * 1024 * 1024;

/** Rotates what grew too long. Writers append (O_APPEND), so they go on at the start of the emptied file. */
export function rotateLogs(logDir: string): void {
  for (const name of readdirSync(logDir)) {
    if (!name.endsWith(".log")) continue;
    const path = join(logDir, name);
    if (statSync(path).size <= MAX_LOG_BYTES) continue;
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
  }
}
