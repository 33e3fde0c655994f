import type { Event } from "../../../shared/api/types.ts";
import { parseTime } from "../../runtime/index.ts";

/** How long an Event is kept after it was last written (kube-apiserver's --event-ttl). */
export const EVENT_TTL_MS = 60 * 60_000;
/** Events may stay so much longer, so that many are removed in one go. */
const SLACK_MS = 5 * 60_000;

export interface Plan {
  remove: Event[];
  /** Ms until more has to go; undefined: there is nothing left. */
  recheckAfterMs?: number;
}

/** Which of all Events have had their time, and when to look again. */
export function decide(events: Event[], nowMs: number): Plan {
  const remove: Event[] = [];
  let oldestMs: number | undefined;
  for (const event of events) {
    const writtenMs = lastWrittenMs(event);
    if (writtenMs + EVENT_TTL_MS <= nowMs) remove.push(event);
    else if (oldestMs === undefined || writtenMs < oldestMs) oldestMs = writtenMs;
  }
  if (oldestMs === undefined) return { remove };
  return { remove, recheckAfterMs: oldestMs + EVENT_TTL_MS + SLACK_MS - nowMs };
}

function lastWrittenMs({ metadata, lastTimestamp, eventTime, series }: Event): number {
  const times = [metadata.creationTimestamp, lastTimestamp, eventTime, series?.lastObservedTime].map(parseTime);
  return Math.max(0, ...times.filter((ms) => !Number.isNaN(ms)));
}
