/** Entries of each list at most: one a pass, and no policy or window is longer than an hour. */
const MAX_ENTRIES = 3600 / 15;

/** What earlier passes came to: the rules of behaviour look back on it. Times are epoch ms. */
export interface History {
  /** What the metrics asked for. */
  recommendations: { replicas: number; atMs: number }[];
  /** By how much it was scaled. */
  ups: { by: number; atMs: number }[];
  downs: { by: number; atMs: number }[];
}

/** Of an autoscaler that is seen for the first time: the size it found counts as a recommendation. */
export const newHistory = (replicas: number, nowMs: number): History => ({
  recommendations: [{ replicas, atMs: nowMs }],
  ups: [],
  downs: [],
});

/** With one more, without what is older than the window (ms). */
export function remember<T extends { atMs: number }>(entries: T[], entry: T, windowMs: number): T[] {
  return [...entries.filter(({ atMs }) => atMs > entry.atMs - windowMs), entry].slice(-MAX_ENTRIES);
}
