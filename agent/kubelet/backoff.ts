/** A keyed, doubling pause. After twice the ceiling without trouble a key starts afresh. */
export interface Backoff {
  /** Whether less than the current pause has gone by since the event. */
  isWaiting(key: string, sinceMs: number, nowMs: number): boolean;
  /** How much is left of the pause, counted from when it was last lengthened; 0 when it is over. */
  waitMs(key: string, nowMs: number): number;
  /** The current pause; 0 for an unknown key. */
  pauseMs(key: string): number;
  /** Lengthens the pause: called as the action is taken (or has failed). */
  next(key: string, sinceMs: number, nowMs: number): void;
  forget(keyPrefix: string): void;
}

/** Restarts and image pulls share these (kubelet: backOffPeriod, MaxContainerBackOff, MaxImageBackOff). */
export const INITIAL_PAUSE_MS = 10_000;
export const MAX_PAUSE_MS = 300_000;

/** Grows with the pods that fail; the kubelet forgets the keys of a pod that is gone. */
export function createBackoff({ initialMs = INITIAL_PAUSE_MS, maxMs = MAX_PAUSE_MS } = {}): Backoff {
  const entries = new Map<string, { pauseMs: number; updatedMs: number }>();
  const current = (key: string, sinceMs: number) => {
    const entry = entries.get(key);
    return entry && sinceMs - entry.updatedMs <= 2 * maxMs ? entry : undefined;
  };
  /** A clock that was put back makes the past a future; nobody waits for longer than a pause because of it. */
  const leftMs = (pauseMs: number, sinceMs: number, nowMs: number) => {
    const left = sinceMs + pauseMs - nowMs;
    return left > 0 && left <= 2 * pauseMs ? Math.min(left, pauseMs) : 0;
  };
  return {
    isWaiting(key, sinceMs, nowMs) {
      const entry = current(key, sinceMs);
      return entry !== undefined && leftMs(entry.pauseMs, sinceMs, nowMs) > 0;
    },
    waitMs(key, nowMs) {
      const entry = current(key, nowMs);
      return entry ? leftMs(entry.pauseMs, entry.updatedMs, nowMs) : 0;
    },
    pauseMs: (key) => entries.get(key)?.pauseMs ?? 0,
    next(key, sinceMs, nowMs) {
      const entry = current(key, sinceMs);
      entries.set(key, { pauseMs: Math.min(entry ? entry.pauseMs * 2 : initialMs, maxMs), updatedMs: nowMs });
    },
    forget(keyPrefix) {
      for (const key of entries.keys()) if (key.startsWith(keyPrefix)) entries.delete(key);
    },
  };
}
