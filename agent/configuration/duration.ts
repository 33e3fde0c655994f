const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of what Go prints as a duration: `100ms`, `5m0s`. Undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return undefined;
  return parts.reduce((total, [, count, unit]) => total + Number(count) * UNIT_MS[unit!]!, 0);
}
