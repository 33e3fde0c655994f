import type { Event } from "../api/types.ts";
import { LruMap } from "../lru-map.ts";

/** client-go's numbers (tools/record): entries per cache, distinct messages before they are combined, and within what time. */
const CACHE_ENTRIES = 4096;
const MAX_SIMILAR = 10;
const SIMILAR_INTERVAL_MS = 600_000;
/** Each source may say so many things about one object at once, then one more every 5 minutes. */
const SPAM_BURST = 25;
const SPAM_REFILL_MS = 300_000;

/** What to do with an event: write a new one, count up one that is there, or nothing. */
export type Correlated =
  | { action: "create"; event: Event; key: string }
  | { action: "count"; event: Event; key: string }
  | { action: "drop" };

/**
 * Folds repeated events into one with a count, many alike into "(combined from similar events)", and drops floods, by
 * client-go's rules, so that `kubectl describe` reads the same.
 */
export class EventCorrelator {
  readonly #spam = new LruMap<string, { tokens: number; atMs: number }>(CACHE_ENTRIES);
  readonly #similar = new LruMap<string, { messages: Set<string>; atMs: number }>(CACHE_ENTRIES);
  readonly #seen = new LruMap<string, { count: number; firstTimestamp: string; name: string }>(CACHE_ENTRIES);

  /** @param rename the name for a combined event */
  correlate(event: Event, nowMs: number, rename: () => string): Correlated {
    const { event: folded, key } = this.#combine(event, nowMs, rename);
    if (this.#isSpam(folded, nowMs)) return { action: "drop" };
    const last = this.#seen.get(key);
    if (!last) {
      this.#remember(key, folded);
      return { action: "create", event: folded, key };
    }
    const counted: Event = {
      ...folded,
      metadata: { ...folded.metadata, name: last.name },
      firstTimestamp: last.firstTimestamp,
      count: last.count + 1,
    };
    this.#remember(key, counted);
    return { action: "count", event: counted, key };
  }

  /** The event counted up is no longer there: the next one is new. */
  forget(key: string): void {
    this.#seen.delete(key);
  }

  #remember(key: string, event: Event): void {
    this.#seen.set(key, {
      count: event.count ?? 1,
      firstTimestamp: event.firstTimestamp ?? "",
      name: event.metadata.name,
    });
  }

  #combine(event: Event, nowMs: number, rename: () => string): { event: Event; key: string } {
    const aggregateKey = keyText(event, [event.reason, event.reportingComponent, event.reportingInstance]);
    let record = this.#similar.get(aggregateKey);
    if (!record || nowMs - record.atMs > SIMILAR_INTERVAL_MS) record = { messages: new Set(), atMs: nowMs };
    record.messages.add(event.message ?? "");
    record.atMs = nowMs;
    this.#similar.set(aggregateKey, record);
    if (record.messages.size < MAX_SIMILAR) {
      return { event, key: keyText(event, [event.reason, event.message, event.involvedObject.fieldPath]) };
    }
    for (const any of record.messages) {
      record.messages.delete(any);
      break;
    }
    // As client-go makes it anew: the source stays, the fields of the newer API do not.
    const { reportingComponent: _component, reportingInstance: _instance, ...combined } = event;
    return {
      event: {
        ...combined,
        metadata: { ...event.metadata, name: rename() },
        message: `(combined from similar events): ${event.message ?? ""}`,
      },
      key: aggregateKey,
    };
  }

  #isSpam(event: Event, nowMs: number): boolean {
    const key = keyText(event, []);
    const bucket = this.#spam.get(key) ?? { tokens: SPAM_BURST, atMs: nowMs };
    const tokens = Math.min(SPAM_BURST, bucket.tokens + (nowMs - bucket.atMs) / SPAM_REFILL_MS);
    const isSpam = tokens < 1;
    this.#spam.set(key, { tokens: isSpam ? tokens : tokens - 1, atMs: nowMs });
    return isSpam;
  }
}

function keyText(event: Event, more: (string | undefined)[]): string {
  const { involvedObject: about, source } = event;
  return [
    source?.component,
    source?.host,
    about.kind,
    about.namespace,
    about.name,
    about.uid,
    about.apiVersion,
    event.type,
    ...more,
  ].join("\u0000");
}
