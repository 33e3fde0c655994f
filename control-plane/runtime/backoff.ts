/** client-go's default item back-off: 5 ms, doubled with each failure, 1000 s at most. */
const BASE_MS = 5;
const MAX_MS = 1_000_000;

/** Milliseconds to wait after so many failures in a row (1 is the first). */
export function backoffMs(failures: number): number {
  return Math.min(MAX_MS, BASE_MS * 2 ** Math.min(failures - 1, 40));
}
