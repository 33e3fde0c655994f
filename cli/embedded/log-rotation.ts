import { copyFileSync, existsSync, statSync, truncateSync } from "node:fs";

/** A log is cut at this size; the part before goes to `<name>.log.1`, so that a home holds twice this per process. */
export const MAX_LOG_BYTES = 16 * 1024 * 1024;

/** Rotates those that grew too long. Writers append (O_APPEND), so they go on at the start of the emptied file. */
export function rotateLogs(files: string[]): void {
  for (const file of files) {
    if (!existsSync(file) || statSync(file).size <= MAX_LOG_BYTES) continue;
    copyFileSync(file, `${file}.1`);
    truncateSync(file);
  }
}
