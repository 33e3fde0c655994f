/** Where "now" comes from, so that tests can move it. */
export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** metav1.Time on the wire: whole seconds, `2026-10-21T08:15:42Z`. */
export function printTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** metav1.MicroTime on the wire. Clocks here count milliseconds, the last three digits are zero. */
export function printMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

/** Epoch milliseconds of an API time; NaN if absent or malformed. */
export function parseTime(text: string | null | undefined): number {
  return text ? Date.parse(text) : Number.NaN;
}
