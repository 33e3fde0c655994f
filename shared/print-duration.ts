/** As Go prints a duration: `850ms`, `4.212s`, `1m3.5s`. */
export function printDuration(ms: number): string {
  if (ms < 1000) return ms === 0 ? "0s" : `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${seconds}s`;
}
