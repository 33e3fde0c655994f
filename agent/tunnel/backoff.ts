const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * How long to wait before connecting again: doubling from 0.5 s to 30 s, with "full jitter" in the upper half, so that
 * a deploy of the control plane, which drops every node at once, does not bring them all back at once.
 * @param failures attempts that failed in a row; 0 right after a working connection was lost
 * @param random in [0, 1)
 */
export function reconnectDelayMs(failures: number, random: number): number {
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 16));
  return ceiling / 2 + (ceiling / 2) * random;
}
