const SECOND_MS = 1000;

const pair = (whole: number, unit: string, rest: number, restUnit: string) =>
  rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;

/**
 * A duration in two or three significant figures, as kubectl users know it: `47s`, `5m3s`, `3h12m`, `4d1h`, `2y31d`.
 * @param durationMs may be a little negative (clocks differ); less than -2 s gives `<invalid>`
 */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / SECOND_MS);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return pair(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  return days < 2920 ? pair(years, "y", days % 365, "d") : `${years}y`;
}

/** The time passed since an RFC 3339 timestamp; `<unknown>` without one. */
export function since(timestamp: string | null | undefined, nowMs: number): string {
  if (!timestamp) return "<unknown>";
  return humanDuration(nowMs - Date.parse(timestamp));
}
