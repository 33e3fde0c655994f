/**
 * Tokens that lie in Secrets (KEP-2799): since when their use is noted, when one was last used, and since when one that
 * nobody uses is not taken any more. Days of UTC, `2026-10-21`.
 */
export const TRACKING_CONFIG_MAP = "kube-apiserver-legacy-service-account-token-tracking";
export const TRACKED_SINCE = "since";
export const LAST_USED_LABEL = "kubernetes.io/legacy-token-last-used";
export const INVALID_SINCE_LABEL = "kubernetes.io/legacy-token-invalid-since";

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Whether it is a day there is. */
export function isDay(text: string | undefined): text is string {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}

/** When the day begins (epoch ms). */
export const startOfDayMs = (day: string): number => Date.parse(`${day}T00:00:00Z`);
