export { printMicroTime, printTime } from "../../shared/api/timestamp.ts";

/** Where "now" comes from, so that tests can move it. */
export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** Epoch milliseconds of an API time; NaN if absent or malformed. */
export function parseTime(text: string | null | undefined): number {
  return text ? Date.parse(text) : Number.NaN;
}
