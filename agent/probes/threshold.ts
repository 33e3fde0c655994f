/** How a probe has gone lately. */
export interface ProbeCount {
  /** The last outcome, and how often it came in a row. */
  ok: boolean | undefined;
  times: number;
}

export const NO_OUTCOME: ProbeCount = { ok: undefined, times: 0 };

/** API defaults, for pods that were not defaulted. */
const DEFAULT_FAILURES = 3;
const DEFAULT_SUCCESSES = 1;

/**
 * Counts one more outcome.
 * @returns the verdict once the threshold is reached, else undefined: what was known before still holds
 */
export function countOutcome(
  { ok: before, times }: ProbeCount,
  ok: boolean,
  probe: { failureThreshold?: number; successThreshold?: number },
): { count: ProbeCount; verdict: boolean | undefined } {
  const count = { ok, times: before === ok ? times + 1 : 1 };
  const threshold = ok ? (probe.successThreshold ?? DEFAULT_SUCCESSES) : (probe.failureThreshold ?? DEFAULT_FAILURES);
  return { count, verdict: count.times >= threshold ? ok : undefined };
}
