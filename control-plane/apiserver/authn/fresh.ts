/**
 * Whether a remembered answer still counts. One that would count for longer than any may was made before the clock was
 * set back, and would outlive what it says.
 */
export const isFresh = ({ untilMs }: { untilMs: number }, freshMs: number, nowMs: number): boolean =>
  nowMs < untilMs && untilMs - nowMs <= freshMs;
