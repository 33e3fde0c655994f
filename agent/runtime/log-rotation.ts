import { copyFileSync, existsSync, statSync, truncateSync } from "node:fs";

/** A log is cut at this size; the part before goes to `<name>.log.1`, so that a log takes twice this at most. */
export const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Cuts those that grew too long. Writers append (O_APPEND), so they go on at the start of the emptied file. Never throws:
 * on a full disk the older part is given up, and what cannot even be cut is left for the next time.
 */
export function rotateLogs(files: string[], maxBytes = MAX_LOG_BYTES): void {
  for (const file of files) {
    try {
      if (existsSync(file) && statSync(file).size > maxBytes) cut(file);
    } catch {
      // It went away just now, or the file system is read-only.
    }
  }
}

function cut(file: string): void {
  try {
    copyFileSync(file, `${file}.1`);
  } finally {
    truncateSync(file);
  }
}
