/** How soon an exit is noticed when the runtime sends no events: upstream's generic PLEG. */
const RELIST_MS = 1_000;
/** For a moment after each change: init containers and short jobs come one after the other. */
const RELIST_BUSY_MS = 250;
const BUSY_MS = 5_000;
/** With events a relist only mends what was missed. */
const RELIST_WITH_EVENTS_MS = 60_000;
/** The runtime tells of an exit before its own books have it: looked for from so soon on, ever more seldom. */
const FIRST_LOOK_MS = 10;
/** How long a container is looked for that is said to have ended, and is not seen to. */
export const SETTLE_MS = 10_000;

/**
 * When the runtime is asked next, in milliseconds.
 * @param unsettledMs for how long the first of those that are said to have ended has not been seen to
 * @param sinceChangeMs how long nothing has changed
 */
export function decideRelistMs({
  hasEvents,
  isAway,
  unsettledMs,
  sinceChangeMs,
}: {
  hasEvents: boolean;
  isAway: boolean;
  unsettledMs?: number;
  sinceChangeMs: number;
}): number {
  if (isAway) return RELIST_MS;
  if (unsettledMs !== undefined) return Math.min(Math.max(unsettledMs, FIRST_LOOK_MS), RELIST_MS);
  if (hasEvents) return RELIST_WITH_EVENTS_MS;
  return sinceChangeMs < BUSY_MS ? RELIST_BUSY_MS : RELIST_MS;
}
