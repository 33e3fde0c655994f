/** Lets pulls go ahead: so many at a time, and no more of them begun in a second than the registry shall bear. */
export interface PullTurns {
  /** Runs `pull` when it is its turn. @throws Error at once if too many were begun lately */
  take<T>(pull: () => Promise<T>): Promise<T>;
}

/**
 * @param options.maxParallel pulls at a time (1 is the kubelet's serializeImagePulls); Infinity for no limit
 * @param options.qps begun in a second on average, `burst` of them at once; 0 for no limit
 */
export function createPullTurns({
  maxParallel,
  qps,
  burst,
  nowMs,
}: {
  maxParallel: number;
  qps: number;
  burst: number;
  nowMs: () => number;
}): PullTurns {
  let running = 0;
  const waiting: (() => void)[] = [];
  let tokens = burst;
  let refilledMs = nowMs();

  function isTooFast(): boolean {
    if (qps === 0) return false;
    tokens = Math.min(burst, tokens + (Math.max(0, nowMs() - refilledMs) / 1000) * qps);
    refilledMs = nowMs();
    if (tokens < 1) return true;
    tokens -= 1;
    return false;
  }

  return {
    async take(pull) {
      if (running >= maxParallel) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        if (isTooFast()) throw new Error("pull QPS exceeded");
        return await pull();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
