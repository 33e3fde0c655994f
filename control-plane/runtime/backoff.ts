/** How long a key waits after failures in a row: doubled with each, up to a bound. */
export interface Backoff {
  baseMs: number;
  maxMs: number;
}

/** client-go's default for items. */
export const DEFAULT_BACKOFF: Backoff = { baseMs: 5, maxMs: 1_000_000 };

/** Milliseconds to wait after so many failures in a row (1 is the first). */
export function backoffMs(failures: number, { baseMs, maxMs }: Backoff = DEFAULT_BACKOFF): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 40));
}
